/** Repeats the calls of a program that the native core ran, and collects the results of another core. */
import {
  ARMED,
  BASE_BLOCKS,
  BLOCK_BYTES,
  DEADLINE,
  EPOCH_END,
  EXPIRATIONS,
  EXPIRED,
  INEXACT,
  RECORDS_PER_BLOCK,
  SINCE,
  SUBMISSIONS,
  SUBMITTED,
  TICK,
  UNFINISHED,
  USED,
  WAKE,
} from '../../lib/memory/layout.js'
import type { BareCore } from './cores.js'
import { Submitter } from './submitter.js'

/** Names and numbers of operands, in the order of `enum Call` in test/core/model/trace.h. */
const CALLS = [
  ['openEpoch', 2],
  ['closeEpoch', 2],
  ['schedule', 2],
  ['reschedule', 3],
  ['cancel', 1],
  ['take', 0],
  ['advance', 1],
  ['dispatched', 0],
  ['grow', 1],
  ['hash', 0],
] as const
type Call = (typeof CALLS)[number][0]

function clockOf(low: number, high: number): number {
  return new Float64Array(new Uint32Array([low, high]).buffer)[0]!
}

export class Replay {
  readonly answers: number[] = []
  readonly #core: BareCore
  readonly #submitter: Submitter
  #blocks = 1

  constructor(core: BareCore) {
    this.#core = core
    this.#submitter = new Submitter(core)
  }

  /** Makes the call at `at`. Returns the place of the next call. */
  step(calls: Uint32Array, at: number): number {
    const [name, count] = CALLS[calls[at]!]!
    this.#call(name, calls.subarray(at + 1, at + 1 + count))
    return at + 1 + count
  }

  /** Describes the call at `at` for a message. */
  static show(calls: Uint32Array, at: number): string {
    const [name, count] = CALLS[calls[at]!]!
    return `${name}(${calls.subarray(at + 1, at + 1 + count).join(', ')})`
  }

  #call(name: Call, [a = 0, b = 0, c = 0]: Iterable<number>): void {
    const core = this.#core
    if (name === 'schedule') this.answers.push(this.#submitter.schedule(a, b))
    else if (name === 'reschedule') this.#submitter.reschedule(a, b, c)
    else if (name === 'cancel') this.#submitter.cancel(a)
    else if (name === 'openEpoch') this.#turnEpoch(() => core.openEpoch(clockOf(a, b)))
    else if (name === 'closeEpoch') this.#turnEpoch(() => core.closeEpoch(clockOf(a, b)))
    else if (name === 'take') this.#take()
    else if (name === 'advance') this.#advance(a)
    else if (name === 'dispatched') core.words[EXPIRED] = 0
    else if (name === 'grow') this.#grow(a)
    else this.#answerHash()
  }

  #turnEpoch(turn: () => void): void {
    const touched = this.#submitter.touched()
    turn()
    this.#answer(EPOCH_END)
    for (const unit of touched) this.#answer(unit * 4 + DEADLINE)
  }

  #take(): void {
    this.#core.takeSubmissions()
    if (this.#core.words[SUBMITTED] !== 0) throw new Error('submissions were left')
    this.#answer(TICK, WAKE, ARMED)
  }

  #advance(target: number): void {
    const expired = this.#core.advance(target)
    const { words } = this.#core
    if (expired !== words[EXPIRED]) throw new Error(`advance returned ${expired} of ${words[EXPIRED]}`)
    this.#answer(TICK, WAKE, ARMED, UNFINISHED, EXPIRED)
    for (let i = 0; i < expired; i++) this.#answer(EXPIRATIONS + i)
  }

  #grow(blocks: number): void {
    this.#blocks = blocks
    this.#core.grow(blocks)
  }

  #answer(...words: number[]): void {
    for (const word of words) this.answers.push(this.#core.words[word]!)
  }

  /** FNV-1a over words. */
  #answerHash(): void {
    const { words } = this.#core
    let hash = 0x811c9dc5
    const add = (begin: number, count: number): void => {
      for (let i = begin; i < begin + count; i++) hash = Math.imul(hash ^ words[i]!, 0x01000193)
    }
    add(0, INEXACT)
    add(USED, 2 * SINCE - USED)
    add(2 * SINCE + 2, SUBMISSIONS + words[SUBMITTED]! - 2 * SINCE - 2)
    add(EXPIRATIONS, words[EXPIRED]!)
    for (let block = 0; block < this.#blocks; block++) {
      add(((BASE_BLOCKS + block) * BLOCK_BYTES) / 4, RECORDS_PER_BLOCK * 4)
    }
    this.answers.push(hash >>> 0)
  }
}
