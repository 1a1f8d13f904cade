/** Compiles and instantiates the WebAssembly core, whose bytes are part of the JavaScript, when the first wheel is made. */
import { noMoreWheels } from '../common/errors.js'
import { alphabet, wasmText } from '../generated/wasm-bytes.js'
import { unpack } from './unpack.js'
import type { WasmExports } from './wasm-exports.js'

let compiled: WebAssembly.Module | undefined

/**
 * Makes an instance of the compiled core. WebKit checks the page's policy on instantiation, not on compilation.
 *
 * @throws WasmBackendError `ERR_WASM_BACKEND` if WebAssembly is missing or forbidden: the message names the cause and the remedy
 * @throws RangeError `ERR_WHEEL_FULL` if the engine has no memory for another instance
 */
export function instantiateWasm(): WasmExports {
  try {
    compiled ??= new WebAssembly.Module(unpack(wasmText, alphabet))
    return new WebAssembly.Instance(compiled).exports as unknown as WasmExports
  } catch (cause) {
    // The compiled module imports nothing, so only memory can be missing: engines reserve gigabytes of addresses for each.
    if (compiled && (cause as Error).name !== 'CompileError') throw noMoreWheels(cause)
    const message =
      `timeout-wheel needs WebAssembly: ${(cause as Error).message}. ` +
      "A Content-Security-Policy needs 'wasm-unsafe-eval' in script-src"
    throw Object.assign(new Error(message, { cause }), { name: 'WasmBackendError', code: 'ERR_WASM_BACKEND' })
  }
}
