/** Compiles and instantiates the WebAssembly core, whose bytes are part of the JavaScript, when the first wheel is made. */
import { exhausted } from '../common/errors.js'
import { alphabet, wasmText } from '../generated/wasm-bytes.js'
import type { Core } from './core.js'
import { unpack } from './unpack.js'
import { coreOn } from './wasm-core.js'
import type { WasmExports } from './wasm-exports.js'

let compiled: WebAssembly.Module | undefined

/** The error if WebAssembly is missing or forbidden. Its message names the cause and the remedy. */
function refusal(message: string, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { name: 'WasmBackendError', code: 'ERR_WASM_BACKEND' })
}

/**
 * Makes an instance of the compiled core. WebKit checks the page's policy on instantiation, not on compilation.
 *
 * @throws RangeError `ERR_WHEEL_FULL` if the engine has no memory for another instance
 */
export function instantiateWasm(): WasmExports {
  if (typeof WebAssembly === 'undefined') {
    throw refusal('this runtime has no WebAssembly, which timeout-wheel needs')
  }
  try {
    compiled ??= new WebAssembly.Module(unpack(wasmText, alphabet))
    return new WebAssembly.Instance(compiled).exports as unknown as WasmExports
  } catch (cause) {
    // The compiled module imports nothing, so only memory can be missing: engines reserve gigabytes of addresses for each.
    if (compiled && (cause as Error).name !== 'CompileError') throw exhausted(`wheels (${cause})`)
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
