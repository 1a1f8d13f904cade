/** The WebAssembly core that this package's JavaScript carries, compiled when the first wheel is made. */

import { exhausted } from '../common/errors.js'
import { alphabet, wasmText } from '../generated/wasm-bytes.js'
import type { Core } from './core.js'
import { unpack } from './unpack.js'
import { coreOn } from './wasm-core.js'
import type { WasmExports } from './wasm-exports.js'

let compiled: WebAssembly.Module | undefined

/** Thrown where WebAssembly is missing or forbidden: names the cause and the remedy. */
function refusal(message: string, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { name: 'WasmBackendError', code: 'ERR_WASM_BACKEND' })
}

/**
 * An instance of the compiled core. WebKit asks the page's policy not when it compiles but here: both are refusals.
 *
 * @throws RangeError `ERR_WHEEL_FULL` where the engine has no memory for another
 */
export function instantiateWasm(): WasmExports {
  if (typeof WebAssembly === 'undefined') {
    throw refusal('this runtime has no WebAssembly, which timeout-wheel needs')
  }
  try {
    compiled ??= new WebAssembly.Module(unpack(wasmText, alphabet))
    return new WebAssembly.Instance(compiled).exports as unknown as WasmExports
  } catch (cause) {
    // With nothing to import and compiled, it lacks only its memory: engines reserve gigabytes of addresses for each.
    if ((cause as Error).name !== 'CompileError') throw exhausted(`wheels (${cause})`)
    throw refusal(
      `WebAssembly cannot be compiled here: ${(cause as Error).message}. ` +
        "In a page with a Content-Security-Policy, add 'wasm-unsafe-eval' to its script-src directive",
      cause as Error,
    )
  }
}

export function openWasmCore(): Core {
  return coreOn(instantiateWasm)
}
