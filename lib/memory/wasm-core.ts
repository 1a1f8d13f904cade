/** The core as WebAssembly: one instance, with a memory of its own, for each wheel. */
import { type Core, grown, growths, type Views, viewsOf } from './core.js'
import { instantiateWasm } from './instantiate-wasm.js'
// biome-ignore format: a list of words
import {
  DEADLINE, DEFERRED, DEFERRED_NOTE, DELAYS, EPOCH_END, EPOCH_LENGTH, FARTHEST, FILED, FIRST_STATE, NEVER, NONE,
  NOW, NOW_CEIL, ORDER_NUMBER, QUEUED, SUBMISSIONS, SUBMISSIONS_CAPACITY, SUBMITTED, TOUCHED, WAKE,
} from './layout.js'

class WasmCore implements Core {
  readonly #exports = instantiateWasm()
  #views: Views
  blocks = 1

  constructor() {
    this.#exports.open(1)
    this.#views = viewsOf(this.#exports.memory.buffer)
  }

  get words(): Int32Array {
    return this.#attached().words
  }

  get reals(): Float64Array {
    return this.#attached().reals
  }

  /** The views, made anew if a growth has detached them. */
  #attached(): Views {
    if (this.#views.words.length === 0) this.#views = viewsOf(this.#exports.memory.buffer)
    return this.#views
  }

  openEpoch(now: number): void {
    if (this.words[DEFERRED] !== 0) this.#commitDeferred()
    this.#keepingNotes(now, this.#exports.begin)
  }

  closeEpoch(now: number): void {
    if (this.words[DEFERRED] !== 0) this.#commitDeferred()
    this.#keepingNotes(now, this.#exports.end)
  }

  /** Does the same as `KeepsNotes` of native/core/timer_wheel.cc: after a stop of weeks, the notes of the closed epoch stay. */
  #keepingNotes(now: number, close: (now: number) => void): void {
    const { words, reals } = this
    const isStopped = now - reals[NOW]! > FARTHEST
    const notes = isStopped && words.slice(TOUCHED, TOUCHED + EPOCH_LENGTH)
    close(now)
    if (notes) words.set(notes, TOUCHED)
  }

  /**
   * Does the same as `CommitDeferred` of native/core/timer_wheel.cc. It is not in the WebAssembly module because pages load
   * that module and never defer.
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
    return growths(this.blocks).some((more) => this.#growBy(more, owner))
  }

  #growBy(more: number, owner: Views): boolean {
    if (grown(this.#exports.memory, more) === undefined) return false
    this.#exports.extend(this.blocks + more)
    this.blocks += more
    const { words, reals } = this.#attached()
    owner.words = words
    owner.reals = reals
    return true
  }
}

export function openWasmCore(): Core {
  return new WasmCore()
}
