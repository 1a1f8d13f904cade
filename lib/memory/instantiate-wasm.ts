/** Compiles and instantiates the WebAssembly core, whose bytes are part of the JavaScript, when the first wheel is made. */
import { noMoreWheels } from '../common/errors.js'
import { alphabet, wasmText } from '../generated/wasm-bytes.js'

/** See wasm/exports.cc, and the methods of `TimerWheel` in native/core/timer_wheel.h. */
export interface WasmExports {
  memory: WebAssembly.Memory
  open(blocks: number, ticksPerMs: number): void
  extend(blocks: number): void
  apply(now: number): void
  expire(now: number): void
  resume(now: number): void
  /** `Apply`, `BeginTurn` and `FindWake` */
  turn(now: number): number
}

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

/**
 * Decodes the bytes that .tooling/pack.mjs has written as text.
 *
 * @param alphabet the characters of the bytes that have one character, by byte. All other bytes have two characters
 */
export function unpack(text: string, alphabet: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  let length = 0
  /** The upper bits of a byte with two characters. The array cuts off the bits above them. */
  let high = 0
  for (const character of text) {
    const code = character.charCodeAt(0)
    const byte = alphabet.indexOf(character)
    if (high) {
      bytes[length++] = high + (code & 63)
      high = 0
    } else if (byte < 0) high = code << 6
    else bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}
