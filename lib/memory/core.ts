/** The interface of the compiled core, for both binaries: the addon and WebAssembly. And the growth of a wheel's memory. */
import { BASE_BLOCKS, BLOCK_BYTES, MAX_BLOCKS, WASM_GROWTH } from './layout.js'

export const GROWTHS_PER_BLOCK = BLOCK_BYTES / WASM_GROWTH

/** A wheel's memory as words and as reals. The views are replaced when the memory grows. */
export interface Views {
  words: Int32Array
  reals: Float64Array
}

/** The compiled core over one wheel's memory. It has no clock: time is an argument, in ticks. */
export interface Core extends Readonly<Views> {
  /** The number of blocks of records. */
  readonly blocks: number
  /** Closes the open epoch, which adjusts its deadlines. Opens a new epoch, whose operations count from `now`. */
  openEpoch(now: number): void
  /** Closes the open epoch and opens none. No operation can follow before `openEpoch`. */
  closeEpoch(now: number): void
  /** Files the submissions. */
  takeSubmissions(): void
  /** Expires the timers due up to `target`, a tick that does not wrap, and returns the number of expirations. */
  advance(target: number): number
  /**
   * Adds at least one block. Replaces the owner's views, because the old ones can be detached. Returns false if there is no
   * memory or no room for more records. Then nothing has changed.
   */
  grow(owner: Views): boolean
}

/** Opens a core without a driver, for drivers in TypeScript. */
export type OpenCore = () => Core

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

/** Lets a memory grow by so many blocks. Returns its buffer; undefined if the engine refuses that. */
export function grown(memory: WebAssembly.Memory, more: number): ArrayBufferLike | undefined {
  return unlessRefused(() => {
    memory.grow(more * GROWTHS_PER_BLOCK)
    return memory.buffer
  })
}
