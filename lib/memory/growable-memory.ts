/** The memory of a wheel: its size, its views, and how it grows. */
interface Views {
  words: Int32Array
  reals: Float64Array
}

import { BASE_BYTES, BLOCK_BYTES, MAX_BLOCKS, WASM_GROWTH } from './layout.js'

export function bytesOfBlocks(blocks: number): number {
  return BASE_BYTES + blocks * BLOCK_BYTES
}

export function viewsOf(buffer: ArrayBufferLike): Views {
  return { words: new Int32Array(buffer), reals: new Float64Array(buffer) }
}

/** The views of a core that was closed: of the control block alone. */
export const closedViews = (): Views => viewsOf(new ArrayBuffer(64))

/**
 * Lets a memory grow by 1/32, or by one block if the engine refuses that.
 *
 * @param growTo lets it grow to so many blocks. Returns whether it has
 */
export function growPart(blocks: number, growTo: (blocks: number) => boolean): void {
  const growBy = (more: number): boolean => blocks + more <= MAX_BLOCKS && growTo(blocks + more)
  if (!growBy(blocks >> 5 || 1)) growBy(1)
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

/** Lets a memory grow to so many blocks. Returns false if the engine refuses that. */
export function grow(memory: WebAssembly.Memory, blocks: number): boolean {
  // An interrupted call can have grown the memory already.
  const more = bytesOfBlocks(blocks) - memory.buffer.byteLength
  return more <= 0 || unlessRefused(() => memory.grow(more / WASM_GROWTH)) !== undefined
}
