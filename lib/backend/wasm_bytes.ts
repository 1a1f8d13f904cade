/** The WebAssembly core that this package's JavaScript carries, compiled when the first wheel is made. */
import type { Core } from '../backend.js'
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
  compiled = new WebAssembly.Module(unpack(wasmBytes))
  return compiled
}

const open = /* @__PURE__ */ wasmCores(compile)

/** WebKit asks the page's policy not when it compiles a module but when it makes an instance: both are refusals. */
export function openWasmCore(): Core {
  try {
    return open()
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'CompileError') throw cause
    throw new WasmBackendError(
      `WebAssembly cannot be compiled here: ${cause.message}. ` +
        "In a page with a Content-Security-Policy, add 'wasm-unsafe-eval' to its script-src directive",
      { cause },
    )
  }
}
