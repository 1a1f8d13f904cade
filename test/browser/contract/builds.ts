/** The only build that a page can run. The bundle keeps this import, and the page resolves it. */
import * as wasm from 'timeout-wheel/wasm'

export const builds = [wasm]
