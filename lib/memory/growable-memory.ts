/** The memory of a native wheel. */
import { BASE_BLOCKS, BLOCK_BYTES, MAX_BLOCKS } from './layout.js'

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
  /** What is in use: how many blocks follow the base. */
  readonly blocks: number
  readonly buffer: ArrayBufferLike
  readonly #memory: WebAssembly.Memory | undefined

  constructor(blocks: number, memory?: WebAssembly.Memory) {
    this.#memory = memory ?? reserve(blocks)
    this.blocks = blocks
    this.buffer = this.#memory?.buffer ?? new ArrayBuffer(bytesOf(blocks))
  }

  /**
   * The same with a thirty-second more, or with one block if that is refused. Undefined: there is no memory for even that.
   * A plain buffer has to be copied into it; this one stays as it is.
   */
  grown(): GrowableMemory | undefined {
    const most = MAX_BLOCKS - this.blocks
    const part = Math.min(Math.max(1, this.blocks >> 5), most)
    return this.#grownBy(part) ?? (part > 1 ? this.#grownBy(1) : undefined)
  }

  /**
   * One block again. Undefined: there is no memory for it. The same bytes, with what they hold, if the system takes back
   * what the addon no longer needs of a memory: then this cannot fail, and no addresses have to be reserved.
   */
  renewed(): GrowableMemory | undefined {
    try {
      return new GrowableMemory(1, process.platform === 'linux' ? this.#memory : undefined)
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }

  /** Whether both are views of the same bytes. */
  isPartOf(other: GrowableMemory): boolean {
    return this.#memory !== undefined && this.#memory === other.#memory
  }

  #grownBy(blocks: number): GrowableMemory | undefined {
    if (blocks === 0) return undefined
    try {
      const memory = this.#memory
      if (memory !== undefined) {
        // It may have grown already, for a call that was interrupted.
        const more = bytesOf(this.blocks + blocks) - memory.buffer.byteLength
        if (more > 0) memory.grow(Math.ceil(more / 65536))
      }
      return new GrowableMemory(this.blocks + blocks, memory)
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}
