/** The memory of a wheel on the addon. */
import { BASE_BLOCKS, BLOCK_BYTES, MAX_BLOCKS, WASM_GROWTH } from './layout.js'

const GROWTHS_PER_BLOCK = BLOCK_BYTES / WASM_GROWTH

function bytesOf(blocks: number): number {
  return (BASE_BLOCKS + blocks) * BLOCK_BYTES
}

// Node runs without WebAssembly under --jitless.
let canReserve = typeof WebAssembly !== 'undefined'

function reserve(blocks: number): WebAssembly.Memory | undefined {
  if (!canReserve) return undefined
  try {
    return new WebAssembly.Memory({
      initial: (BASE_BLOCKS + blocks) * GROWTHS_PER_BLOCK,
      maximum: (BASE_BLOCKS + MAX_BLOCKS) * GROWTHS_PER_BLOCK,
      shared: true,
    })
  } catch {
    // Never try again: the engine collects garbage several times before it gives up.
    canReserve = false
    return undefined
  }
}

/**
 * Zeroed memory that grows at its end. It is a WebAssembly.Memory without a module, because such a memory reserves
 * addresses and grows in place: nothing is copied, and access is as fast as to a buffer of fixed size. If there is no
 * WebAssembly, or no addresses are left to reserve, it is a plain buffer, which is copied when it grows.
 *
 * The memory is a shared one, although no thread shares it. V8 would count all of an unshared memory as newly allocated at
 * each growth and mark the heap: 30 to 70 ms with millions of handles. The addon reports to V8 only the bytes that are new.
 */
export class GrowableMemory {
  /** The number of blocks in use after the base. */
  readonly blocks: number
  readonly buffer: ArrayBufferLike
  readonly #memory: WebAssembly.Memory | undefined

  constructor(blocks: number, memory?: WebAssembly.Memory) {
    this.#memory = memory ?? reserve(blocks)
    this.blocks = blocks
    this.buffer = this.#memory?.buffer ?? new ArrayBuffer(bytesOf(blocks))
  }

  /**
   * The same memory with 1/32 more blocks, or with one more if the engine refuses that. Undefined if it refuses both. The
   * caller copies a plain buffer into the new one. This object does not change.
   */
  grown(): GrowableMemory | undefined {
    const most = MAX_BLOCKS - this.blocks
    const part = Math.min(Math.max(1, this.blocks >> 5), most)
    return this.#grownBy(part) ?? (part > 1 ? this.#grownBy(1) : undefined)
  }

  /**
   * A memory of one block; undefined if there is no memory for it. On Linux it is the same bytes with their contents,
   * because there the addon can return unused parts to the system. That cannot fail and reserves no addresses.
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
        // An interrupted call can have grown the memory already.
        const more = bytesOf(this.blocks + blocks) - memory.buffer.byteLength
        if (more > 0) memory.grow(Math.ceil(more / WASM_GROWTH))
      }
      return new GrowableMemory(this.blocks + blocks, memory)
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}
