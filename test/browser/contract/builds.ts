/** The one build that a page can have. The bundle leaves the name to the page to resolve. */
import * as wasm from 'timeout-wheel/wasm'

export const builds = [wasm]
