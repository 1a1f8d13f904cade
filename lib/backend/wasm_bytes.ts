/** The WebAssembly core that this package's JavaScript carries, compiled when the first wheel is made. */
import { wasmBytes } from '../generated/wasm-bytes.js'
import { unpack } from './unpack.js'
import { wasmCores } from './wasm.js'

/** Thrown where WebAssembly is missing or forbidden: names the cause and the remedy. */
export class WasmBackendError extends Error {
  override readonly name = 'WasmBackendError'
  readonly code = 'ERR_WASM_BACKEND'
}

let compiled: WebAssembly.Module | undefined

function compile(): WebAssembly.Module {
  if (compiled !== undefined) return compiled
  if (typeof WebAssembly === 'undefined') {
    throw new WasmBackendError('this runtime has no WebAssembly, which timeout-wheel needs')
  }
  try {
    compiled = new WebAssembly.Module(unpack(wasmBytes))
  } catch (cause) {
    throw new WasmBackendError(
      `WebAssembly cannot be compiled here: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        "In a page with a Content-Security-Policy, add 'wasm-unsafe-eval' to its script-src directive",
      { cause },
    )
  }
  return compiled
}

export const openWasmCore = /* @__PURE__ */ wasmCores(compile)
