/** The memory of a native wheel. */
import { BASE_BLOCKS, BLOCK_BYTES, MAX_BLOCKS } from '../memory.js'

const PAGES_PER_BLOCK = BLOCK_BYTES / 65536

function bytesOf(blocks: number): number {
  return (BASE_BLOCKS + blocks) * BLOCK_BYTES
}

// Node runs without WebAssembly under --jitless.
let canReserve = typeof WebAssembly !== 'undefined'

function reserve(blocks: number): WebAssembly.Memory | undefined {
  if (!canReserve) return undefined
  try {
    return new WebAssembly.Memory({
      initial: (BASE_BLOCKS + blocks) * PAGES_PER_BLOCK,
      maximum: (BASE_BLOCKS + MAX_BLOCKS) * PAGES_PER_BLOCK,
      shared: true,
    })
  } catch {
    // The engine collected garbage several times before it gave up: once is enough.
    canReserve = false
    return undefined
  }
}

/**
 * Zeroed memory that grows at its end. It is a WebAssembly.Memory, without a module, because that reserves addresses and
 * grows in place: nothing is copied, and access is as fast as to a buffer of fixed size. Where there is none, or where no
 * addresses are left to reserve, it is a plain buffer that is copied when it grows.
 *
 * It is shared, although nobody shares it: at each growth V8 would count all of a memory that is not as newly allocated,
 * and begin to mark the heap, 30 to 70 ms where millions of handles are in it. The addon tells it what is really new.
 */
export class GrowableMemory {
  /** Replaced when the memory grows. */
  buffer: ArrayBufferLike
  /** How many blocks follow the base. */
  blocks = 1
  readonly #memory: WebAssembly.Memory | undefined

  constructor() {
    this.#memory = reserve(this.blocks)
    this.buffer = this.#memory?.buffer ?? new ArrayBuffer(bytesOf(this.blocks))
  }

  /** Adds a thirty-second, or one block where that is refused. False: there is no memory for even that; nothing has changed. */
  grow(): boolean {
    const most = MAX_BLOCKS - this.blocks
    const part = Math.min(Math.max(1, this.blocks >> 5), most)
    return this.#growBy(part) || (part > 1 && this.#growBy(1))
  }

  #growBy(blocks: number): boolean {
    if (blocks === 0) return false
    try {
      if (this.#memory !== undefined) {
        this.#memory.grow(blocks * PAGES_PER_BLOCK)
        this.buffer = this.#memory.buffer
      } else {
        const larger = new ArrayBuffer(bytesOf(this.blocks + blocks))
        new Uint8Array(larger).set(new Uint8Array(this.buffer))
        this.buffer = larger
      }
    } catch (error) {
      if (error instanceof RangeError) return false
      throw error
    }
    this.blocks += blocks
    return true
  }
}
