/** The core as WebAssembly: one instance, with a memory of its own, for each wheel. */
import type { Core, Views } from '../backend.js'
import { BASE_BLOCKS, BLOCK_BYTES, carryOver, MAX_BLOCKS } from '../memory.js'

/** See wasm/exports.cc. */
export interface WasmExports {
  memory: WebAssembly.Memory
  open(blocks: number): void
  extend(blocks: number): void
  /** Opens an epoch. */
  begin(now: number): void
  /** Closes it. */
  end(now: number): void
  /** Takes the submissions. */
  take(): void
  advance(target: number): number
}

const PAGE = 65536
/** Ticks further apart cannot be compared. */
const MAX_STEP = 2 ** 30
const TICKS = 2 ** 32

class WasmCore implements Core {
  words!: Int32Array
  reals!: Float64Array
  readonly #instantiate: () => WasmExports
  #exports: WasmExports
  blocks = 1

  constructor(instantiate: () => WasmExports) {
    this.#instantiate = instantiate
    this.#exports = instantiate()
    this.#exports.open(1)
    const { buffer } = this.#exports.memory
    this.words = new Int32Array(buffer)
    this.reals = new Float64Array(buffer, 0, 256)
  }

  openEpoch(now: number): void {
    this.#exports.begin(now)
  }

  closeEpoch(now: number): void {
    this.#exports.end(now)
  }

  takeSubmissions(): void {
    this.#exports.take()
  }

  advance(target: number): number {
    return this.#exports.advance(target)
  }

  grow(owner: Views): boolean {
    const most = MAX_BLOCKS - this.blocks
    return (
      this.#growBy(Math.min(Math.max(1, this.blocks >> 5), most), owner) ||
      this.#growBy(Math.min(1, most), owner)
    )
  }

  // WebAssembly gives no memory back: another instance takes its place.
  renew(advanced: number, owner: Views): boolean {
    let exports: WasmExports
    try {
      exports = this.#instantiate()
    } catch {
      return false
    }
    exports.open(1)
    const last = advanced % TICKS
    for (let tick = 0; tick < last; ) {
      tick = Math.min(tick + MAX_STEP, last)
      exports.advance(tick | 0)
    }
    const { buffer } = exports.memory
    const words = new Int32Array(buffer)
    const reals = new Float64Array(buffer, 0, 256)
    carryOver(words, reals, this)

    this.#exports = exports
    this.words = owner.words = words
    this.reals = owner.reals = reals
    this.blocks = 1
    return true
  }

  #growBy(blocks: number, owner: Views): boolean {
    if (blocks <= 0) return false
    const { memory } = this.#exports
    const bytes = (BASE_BLOCKS + this.blocks + blocks) * BLOCK_BYTES
    // The memory may have grown already, and the call below have been interrupted.
    const more = bytes - memory.buffer.byteLength
    if (more > 0) {
      try {
        memory.grow(Math.ceil(more / PAGE))
      } catch (error) {
        if (error instanceof RangeError) return false
        throw error
      }
      // The former views are of no use any more: nothing may come between.
      const { buffer } = memory
      this.words = owner.words = new Int32Array(buffer)
      this.reals = owner.reals = new Float64Array(buffer, 0, 256)
    }
    this.#exports.extend(this.blocks + blocks)
    this.blocks += blocks
    return true
  }
}

/** @param instantiate makes an instance with a memory of its own */
export function coreOn(instantiate: () => WasmExports): Core {
  return new WasmCore(instantiate)
}
