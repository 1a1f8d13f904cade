/** The builds of the core that the specification runs on. In a browser another file stands for this one. */
import * as native from 'timeout-wheel/native'
import * as wasm from 'timeout-wheel/wasm'

export const builds = [native, wasm]
