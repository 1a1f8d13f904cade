/** The other side of a core: repeats the calls of a program that the native core ran, and collects the results. */
import type { Core } from '../../lib/memory/core.js'
import * as layout from '../../lib/memory/layout.js'

/** Names and numbers of operands, in the order of `enum Call` in test/core/model/trace.h. */
const CALLS = [
  ['openEpoch', 2],
  ['closeEpoch', 2],
  ['set', 3],
  ['cancel', 1],
  ['take', 0],
  ['advance', 1],
  ['dispatched', 0],
  ['grow', 1],
  ['hash', 0],
] as const
type Call = (typeof CALLS)[number][0]

// An operation notes the fraction of its delay in eighths of a tick, or as one of these. See test/core/model/trace.h.
const WHOLE_DELAY = 8
const NOT_ADJUSTED = 9

const isBefore = (a: number, b: number): boolean => ((a - b) | 0) < 0

function clockOf(low: number, high: number): number {
  return new Float64Array(new Uint32Array([low, high]).buffer)[0]!
}

export class Replay {
  readonly answers: number[] = []
  readonly #core: Core
  #used = 0

  constructor(core: Core) {
    this.#core = core
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
    if (name === 'set') this.#set(a, b, c)
    else if (name === 'cancel') core.words[a * 4 + layout.DEADLINE] = layout.NEVER
    else if (name === 'openEpoch' || name === 'closeEpoch') this.#turnEpoch(name, clockOf(a, b))
    else if (name === 'take') this.#take()
    else if (name === 'advance') this.#advance(a)
    else if (name === 'dispatched') core.words[layout.EXPIRED] = 0
    else if (name === 'grow') while (core.blocks < a) core.grow({ words: core.words, reals: core.reals })
    else this.#answerHash()
  }

  /** Sets a timer as native/core/testing/submitter.h does. A unit that was never used follows those that were. */
  #set(unit: number, deadline: number, fraction: number): void {
    const { words } = this.#core
    if (unit === layout.unitOfRecord(this.#used)) {
      words[layout.USED] = ++this.#used
      words[unit * 4 + layout.FILED] = layout.NONE
    }
    this.#note(unit, fraction)
    const valid = deadline >= layout.FIRST_STATE >>> 0 ? 0 : deadline | 0
    words[unit * 4 + layout.DEADLINE] = valid
    words[unit * 4 + layout.ORDER_NUMBER] = words[layout.ORDER]!
    words[layout.ORDER]!++
    const filed = words[unit * 4 + layout.FILED]!
    const hasEntry = filed !== layout.NONE && isBefore(filed, valid) && !isBefore(valid, words[layout.WAKE]!)
    if (hasEntry || filed === layout.QUEUED) return
    words[unit * 4 + layout.FILED] = layout.QUEUED
    words[layout.SUBMISSIONS + words[layout.SUBMITTED]!++] = unit
    if (words[layout.SUBMITTED] === layout.SUBMISSIONS_CAPACITY) this.#core.takeSubmissions()
  }

  #note(unit: number, fraction: number): void {
    if (fraction === NOT_ADJUSTED) return
    const { words, reals } = this.#core
    const place = words[layout.ORDER]! - words[layout.EPOCH_END]! + layout.EPOCH_LENGTH
    words[layout.TOUCHED + place] = fraction === WHOLE_DELAY ? unit : ~unit
    if (fraction === WHOLE_DELAY) return
    const due = reals[layout.NOW]! + fraction / 8
    reals[layout.FRACTION + place] = fraction / 8
    reals[layout.LEAST_SLACK] = Math.min(reals[layout.LEAST_SLACK]!, Math.ceil(due) - due)
  }

  #turnEpoch(call: 'openEpoch' | 'closeEpoch', now: number): void {
    this.#core[call](now)
    this.#answer(layout.EPOCH_END)
  }

  #take(): void {
    this.#core.takeSubmissions()
    if (this.#core.words[layout.SUBMITTED] !== 0) throw new Error('submissions were left')
    this.#answer(layout.TICK, layout.WAKE, layout.ARMED)
  }

  #advance(target: number): void {
    const expired = this.#core.advance(target)
    const { words } = this.#core
    if (expired !== words[layout.EXPIRED])
      throw new Error(`advance returned ${expired} of ${words[layout.EXPIRED]}`)
    this.#answer(layout.TICK, layout.WAKE, layout.ARMED, layout.UNFINISHED, layout.EXPIRED)
    for (let i = 0; i < expired; i++) this.#answer(layout.EXPIRATIONS + i)
  }

  #answer(...words: number[]): void {
    for (const word of words) this.answers.push(this.#core.words[word]! >>> 0)
  }

  /** FNV-1a over words. */
  #answerHash(): void {
    const { words, blocks } = this.#core
    let hash = 0x811c9dc5
    const add = (begin: number, count: number): void => {
      for (let i = begin; i < begin + count; i++) hash = Math.imul(hash ^ words[i]!, 0x01000193)
    }
    const { BASE_BLOCKS, BLOCK_BYTES, SINCE, SUBMISSIONS, USED } = layout
    add(0, layout.INEXACT)
    add(USED, 2 * SINCE - USED)
    add(2 * SINCE + 2, SUBMISSIONS + words[layout.SUBMITTED]! - 2 * SINCE - 2)
    add(layout.EXPIRATIONS, words[layout.EXPIRED]!)
    for (let block = 0; block < blocks; block++) {
      add(((BASE_BLOCKS + block) * BLOCK_BYTES) / 4, layout.RECORDS_PER_BLOCK * 4)
    }
    this.answers.push(hash >>> 0)
  }
}
