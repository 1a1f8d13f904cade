/** The core as WebAssembly: one instance, with a memory of its own, for each wheel. */
import type { Core, Views } from './core.js'
// biome-ignore format: a list of words
import {
  BASE_BLOCKS, BLOCK_BYTES, carryOver, DEADLINE, DEFERRED, DEFERRED_NOTE, DELAYS, EPOCH_END, EPOCH_LENGTH,
  FILED, FIRST_STATE, MAX_ADVANCE, MAX_BLOCKS, NEVER, NONE, NOW_CEIL, ORDER_NUMBER, QUEUED, SUBMISSIONS,
  SUBMISSIONS_CAPACITY, SUBMITTED, TOUCHED, WAKE, WASM_GROWTH,
} from './layout.js'
import type { WasmExports } from './wasm-exports.js'

/** Ticks wrap at this number. */
const TICKS = 2 ** 32

class WasmCore implements Core {
  readonly #instantiate: () => WasmExports
  #exports: WasmExports
  #words!: Int32Array
  #reals!: Float64Array
  blocks = 1

  constructor(instantiate: () => WasmExports) {
    this.#instantiate = instantiate
    this.#exports = instantiate()
    this.#exports.open(1)
    this.#renewViews()
  }

  get words(): Int32Array {
    if (this.#words.length === 0) this.#renewViews()
    return this.#words
  }

  get reals(): Float64Array {
    if (this.#reals.length === 0) this.#renewViews()
    return this.#reals
  }

  #renewViews(): void {
    const { buffer } = this.#exports.memory
    this.#words = new Int32Array(buffer)
    this.#reals = new Float64Array(buffer, 0, 256)
  }

  openEpoch(now: number): void {
    if (this.words[DEFERRED] !== 0) this.#commitDeferred()
    this.#exports.begin(now)
  }

  closeEpoch(now: number): void {
    if (this.words[DEFERRED] !== 0) this.#commitDeferred()
    this.#exports.end(now)
  }

  /**
   * Does the same as `CommitDeferred` of native/core/timer_wheel.cc. It is not in the WebAssembly module because pages load
   * that module and never defer. After an interruption it starts again, and recognises the records that are done.
   */
  #commitDeferred(): void {
    const { words } = this
    if (words[SUBMITTED]! > SUBMISSIONS_CAPACITY - EPOCH_LENGTH) this.takeSubmissions()
    const begin = words[EPOCH_END]! - EPOCH_LENGTH
    const nowCeil = words[NOW_CEIL]!
    const wake = words[WAKE]!
    for (let i = 0; i < EPOCH_LENGTH; i++) {
      const unit = words[TOUCHED + i]! - DEFERRED_NOTE
      if (unit < 0) continue
      words[TOUCHED + i] = unit
      const record = unit << 2
      if (words[record | ORDER_NUMBER]! >= begin + i || words[record | DEADLINE] === NEVER) continue
      let deadline = (nowCeil + words[DELAYS + i]!) | 0
      if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
      words[record | DEADLINE] = deadline
      words[record | ORDER_NUMBER] = begin + i
      const filed = words[record | FILED]!
      if (
        filed !== QUEUED &&
        (filed === NONE || ((deadline - filed) | 0) <= 0 || ((deadline - wake) | 0) < 0)
      ) {
        words[record | FILED] = QUEUED
        const submitted = words[SUBMITTED]!
        words[SUBMISSIONS + submitted] = unit
        words[SUBMITTED] = submitted + 1
      }
    }
    words[DEFERRED] = 0
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

  // WebAssembly memory never shrinks, so a new instance replaces this one.
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
      tick = Math.min(tick + MAX_ADVANCE, last)
      exports.advance(tick | 0)
    }
    const { buffer } = exports.memory
    const words = new Int32Array(buffer)
    const reals = new Float64Array(buffer, 0, 256)
    carryOver(words, reals, this)

    this.#exports = exports
    this.#words = owner.words = words
    this.#reals = owner.reals = reals
    this.blocks = 1
    return true
  }

  #growBy(blocks: number, owner: Views): boolean {
    if (blocks <= 0) return false
    const { memory } = this.#exports
    const bytes = (BASE_BLOCKS + this.blocks + blocks) * BLOCK_BYTES
    // An interrupted call can have grown the memory already.
    const more = bytes - memory.buffer.byteLength
    if (more > 0) {
      try {
        memory.grow(Math.ceil(more / WASM_GROWTH))
      } catch (error) {
        if (error instanceof RangeError) return false
        throw error
      }
    }
    this.#exports.extend(this.blocks + blocks)
    this.blocks += blocks
    // The growth has detached the former views.
    const { words, reals } = this
    owner.words = words
    owner.reals = reals
    return true
  }
}

/** @param instantiate makes an instance with a memory of its own */
export function coreOn(instantiate: () => WasmExports): Core {
  return new WasmCore(instantiate)
}
