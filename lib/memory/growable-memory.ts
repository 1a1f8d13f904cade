/** The memory of a wheel: its size, its views, and how it grows. */
import type { Views } from './core.js'
import { BASE_BLOCKS, BLOCK_BYTES, MAX_BLOCKS, WASM_GROWTH } from './layout.js'

export function bytesOf(blocks: number): number {
  return (BASE_BLOCKS + blocks) * BLOCK_BYTES
}

export function viewsOf(buffer: ArrayBufferLike): Views {
  return { words: new Int32Array(buffer), reals: new Float64Array(buffer, 0, 256) }
}

/** By how many blocks a memory of so many grows: by 1/32, or by one if the engine refuses that. Empty: there is no room for more. */
export function growths(blocks: number): number[] {
  const most = MAX_BLOCKS - blocks
  const part = Math.min(Math.max(1, blocks >> 5), most)
  return most === 0 ? [] : part === 1 ? [1] : [part, 1]
}

/** Returns undefined if the engine refuses the memory. */
export function unlessRefused<T>(allocate: () => T): T | undefined {
  try {
    return allocate()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Lets a memory grow to so many blocks. Returns its buffer; undefined if the engine refuses it. */
export function grown(memory: WebAssembly.Memory, blocks: number): ArrayBufferLike | undefined {
  // An interrupted call can have grown the memory already.
  const more = bytesOf(blocks) - memory.buffer.byteLength
  return unlessRefused(() => {
    if (more > 0) memory.grow(Math.ceil(more / WASM_GROWTH))
    return memory.buffer
  })
}
