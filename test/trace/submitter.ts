/** The other side of the wheel, word for word as native/core/submitter.h has it. */
import {
  DEADLINE,
  EPOCH_END,
  EPOCH_LENGTH,
  FILED,
  FIRST_STATE,
  FRACTION,
  LEAST_SLACK,
  NEVER,
  NONE,
  NOW,
  ORDER,
  ORDER_NUMBER,
  QUEUED,
  SUBMISSIONS,
  SUBMISSIONS_CAPACITY,
  SUBMITTED,
  TOUCHED,
  USED,
  unitOfRecord,
  WAKE,
} from '../../lib/memory/layout.js'
import type { BareCore } from './cores.js'

// An operation notes the fraction of its delay in eighths of a tick, or as one of these. See test/core/model/trace.h.
const WHOLE_DELAY = 8
const NOT_ADJUSTED = 9

const isBefore = (a: number, b: number): boolean => ((a - b) | 0) < 0

export class Submitter {
  readonly #core: BareCore
  readonly #free: number[] = []
  #used = 0

  constructor(core: BareCore) {
    this.#core = core
  }

  schedule(deadline: number, fraction: number): number {
    const { words } = this.#core
    let unit = this.#free.pop()
    if (unit === undefined) {
      unit = unitOfRecord(this.#used++)
      words[USED] = this.#used
      words[unit * 4 + FILED] = NONE
    }
    this.reschedule(unit, deadline, fraction)
    return unit
  }

  reschedule(unit: number, deadline: number, fraction: number): void {
    const { words } = this.#core
    this.#note(unit, fraction)
    const valid = deadline >= FIRST_STATE >>> 0 ? 0 : deadline
    words[unit * 4 + DEADLINE] = valid
    words[unit * 4 + ORDER_NUMBER] = words[ORDER]!
    words[ORDER]!++
    const filed = words[unit * 4 + FILED]!
    const hasEntry = filed !== NONE >>> 0 && isBefore(filed, valid) && !isBefore(valid, words[WAKE]!)
    if (hasEntry || filed === QUEUED >>> 0) return
    words[unit * 4 + FILED] = QUEUED
    words[SUBMISSIONS + words[SUBMITTED]!++] = unit
    if (words[SUBMITTED] === SUBMISSIONS_CAPACITY) this.#core.takeSubmissions()
  }

  cancel(unit: number): void {
    const { words } = this.#core
    words[unit * 4 + DEADLINE] = NEVER
    this.#free.push(unit)
  }

  /** The records that the open epoch may adjust, in the order of their operations. */
  touched(): number[] {
    const { words } = this.#core
    if (words[EPOCH_END] === 0) return []
    const notes = [...new Int32Array(words.subarray(TOUCHED, TOUCHED + EPOCH_LENGTH))]
    return notes.filter((note) => note !== 0).map((note) => (note < 0 ? ~note : note))
  }

  #note(unit: number, fraction: number): void {
    if (fraction === NOT_ADJUSTED) return
    const { words, reals } = this.#core
    const place = words[ORDER]! - words[EPOCH_END]! + EPOCH_LENGTH
    words[TOUCHED + place] = fraction === WHOLE_DELAY ? unit : ~unit
    if (fraction === WHOLE_DELAY) return
    const due = reals[NOW]! + fraction / 8
    reals[FRACTION + place] = fraction / 8
    reals[LEAST_SLACK] = Math.min(reals[LEAST_SLACK]!, Math.ceil(due) - due)
  }
}
