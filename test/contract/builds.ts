/** The builds of the core that the specifications run on. Another file replaces this one in pages. */
import * as native from 'timeout-wheel/native'
import * as wasm from 'timeout-wheel/wasm'

export const builds = [native, wasm]
