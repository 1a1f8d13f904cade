/**
 * One wheel's timers in a page: the records of the memory that it shares with the compiled core, the clock, and the order
 * of what is due. It does what lib/scheduler.ts does for Node, in a few kilobytes: nothing here keeps a process alive,
 * carries a context or reports for others, and a refreshed timer is filed again instead of being looked up in a log.
 *
 * What begins with an underscore has a short name in the file that is published: .tooling/pages.mjs.
 */

import { wheelFull, wheelStopped } from '../errors.js'
import { firstTick } from '../first_tick.js'
import {
  ARMED,
  BLOCK_BYTES,
  BLOCK_SHIFT,
  DEADLINE,
  EPOCH_END,
  EPOCH_LENGTH,
  EXPIRATIONS,
  EXPIRED,
  FILED,
  FIRST_STATE,
  FRACTION,
  GENERATION,
  LEAST_SLACK,
  MAX_BLOCKS,
  NEVER,
  NONE,
  NOW,
  ORDER,
  ORDER_NUMBER,
  QUEUED,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  SUBMISSIONS,
  SUBMISSIONS_CAPACITY,
  SUBMITTED,
  TOUCHED,
  UNFINISHED,
  unitOfRecord,
  WAKE,
} from '../memory.js'
import type { UnexpiredTimer } from '../wheel.js'
import { FOREVER } from './forever.js'

/** What the compiled core exports: see wasm/exports.cc. */
export interface Core {
  readonly memory: WebAssembly.Memory
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
export type OpenCore = () => Core

export interface Handle {
  /** Takes the record out of the scheduler and runs the callback. */
  _expire(): void
  /** Ends a timer whose record is gone already: its wheel was stopped. */
  _detach(): Pick<UnexpiredTimer, 'callback' | 'args'>
}
export type Callback = (argument: unknown) => unknown
export type Occupant = Callback | Handle

/** What a wheel holds of the numbers in ids. Apart from the wheel, so that it can be given back when that is collected. */
export interface Held {
  /** By block. */
  readonly _numbers: number[]
  /** The most uses that any record has had. */
  _uses: number
}

export interface Scheduler {
  _stopped: boolean
  _words: Int32Array
  readonly _held: Held
  /**
   * Files a timer that is due `ms` milliseconds from now, at the back of its tick's order. O(1).
   *
   * @param unit the record of a pending timer; 0: a new one
   * @param occupant whom a new timer is for
   * @param started in ticks, from where the delay counts; left out: from now
   * @returns the record's unit
   */
  _arm(unit: number, occupant: Occupant | undefined, ms: number, argument?: unknown, started?: number): number
  /** Ends a timer: its record is free from now on, and whatever expiry is under way passes over it. O(1). */
  _release(unit: number): void
  _occupant(unit: number): Occupant | undefined
  /** Reads the clock afresh, in ticks. */
  _readClock(): number
  _pending(): number
  /** Runs the next callback that is due. Throws what it throws. Returns whether there may be more. */
  _step(): boolean
  /** How many callbacks have run. */
  _ran: number
  /** When something may be due, in milliseconds since the wheel was opened, or Infinity. */
  _nextWake(): number
  /** Ends all timers. Returns those that were pending, in the order they would have run. */
  _stop(): UnexpiredTimer[]
  /** Ends what moves the wheel. */
  _close?: () => void
  /** Gives back what ids hold. */
  _onStop?: () => void
}

const PAGE = 65536
/** Where the shared memory begins: below it lie the stack and the data of the compiled core. */
const MEMORY_ADDRESS = PAGE
/** Order numbers begin anew before they leave the range of small integers. */
const LAST_ORDER = 2 ** 30 - 2 * EPOCH_LENGTH
/** Deadlines further off, in ticks, are approached in steps: ticks wrap at 2^32. */
const FARTHEST = 2 ** 29
/** A wheel that lags by more ticks is brought up to date in steps of twice as many. */
const MAX_LAG = 2 ** 29
/** A record with so many uses is not used again: its ids are used up. */
export const MAX_USES = 2 ** 23

/**
 * @param clock milliseconds since the wheel was opened
 * @param onEpoch told whenever the clock has been read: the epoch is to be ended by `_nextWake`
 */
export function openScheduler(
  openCore: OpenCore,
  tick: number,
  clock: () => number,
  onEpoch: () => void,
): Scheduler {
  let core = openCore()
  /** Whom each record is for, by block. */
  const pages: (Occupant | undefined)[][] = []
  /** The arguments of occupants that have one, by block: a block has none while none of its records has. */
  const argumentPages: (unknown[] | undefined)[] = []
  /** The ticks at which timers beyond `FARTHEST` are due. */
  const far = new Map<number, number>()
  let words!: Int32Array
  let reals!: Float64Array
  let blocks = 1
  /** The most recently freed record, or 0; each free record names the next. */
  let free = 0
  /** How many records were ever taken, and how many of them serve a timer. */
  let used = 0
  let pending = 0
  /** The next order number, and the one before which the clock must be read again. */
  let order: number
  let epochEnd = 0
  /** `WAKE` as it stands while the epoch is open. */
  let wake = 0
  /** The tick up to which the wheel has been advanced, on the scale that does not wrap. */
  let advanced = 0
  /** The next of the expirations to run. */
  let next = 0

  const scheduler: Scheduler = {
    _stopped: false,
    _words: undefined as never,
    _held: { _numbers: [], _uses: 0 },
    _ran: 0,
    _arm(unit, occupant, ms, argument, started) {
      if (scheduler._stopped) throw wheelStopped()
      const isNew = !unit
      if (isNew) unit = take(occupant, argument)
      if (order >= epochEnd) openEpoch()
      // Not before: a wheel with nothing pending is brought up to date there.
      if (isNew) pending++
      const delay = ms / tick
      if (far.size) far.delete(unit)
      const isFar = delay > FARTHEST
      // The due time of a far timer is kept apart and not adjusted later: the clock is read for it alone.
      const now = isFar ? readClock() : reals[NOW]!
      const from = started ?? now
      const ticks = Math.max(Math.floor(delay), 1)
      const fraction = delay - ticks
      const first = firstTick(from, fraction)
      const slack = first - (from + fraction)
      if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
      const place = order - epochEnd + EPOCH_LENGTH
      reals[FRACTION + place] = fraction
      words[TOUCHED + place] = isFar || started !== undefined ? 0 : ~unit
      words[(unit << 2) | ORDER_NUMBER] = order++
      if (isFar) far.set(unit, first + ticks)
      const whole = Math.floor(now)
      file(unit, (whole | 0) + (isFar ? FARTHEST : Math.max(first - whole + ticks, 1)))
      return unit
    },
    _release(unit) {
      const record = unit << 2
      const block = unit >>> BLOCK_SHIFT
      pages[block]![unit & RECORD_MASK] = undefined
      const given = argumentPages[block]
      if (given) given[unit & RECORD_MASK] = undefined
      if (far.size) far.delete(unit)
      pending--
      words[record | DEADLINE] = NEVER
      const uses = words[record | GENERATION]! + 1
      words[record | GENERATION] = uses
      if (uses > scheduler._held._uses) scheduler._held._uses = uses
      if (uses < MAX_USES) {
        words[record | ORDER_NUMBER] = free
        free = unit
      }
    },
    _occupant: (unit) => pages[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK],
    _readClock: readClock,
    _pending: () => pending,
    _step() {
      if (scheduler._stopped) return false
      if (next >= words[EXPIRED]!) {
        const now = Math.floor(readClock())
        // In steps, where the page was frozen for weeks: ticks further apart cannot be compared.
        advanced = Math.min(now, advanced + 2 * MAX_LAG)
        next = 0
        core.advance(advanced)
        wake = words[WAKE]!
      }
      let hasRun = false
      while (!hasRun && next < words[EXPIRED]!) hasRun = run(words[EXPIRATIONS + next++]!)
      return (
        !scheduler._stopped &&
        (next < words[EXPIRED]! || words[UNFINISHED] !== 0 || reals[NOW]! - advanced > MAX_LAG)
      )
    },
    _nextWake() {
      const now = clock() / tick
      core.end(now)
      epochEnd = 0
      core.take()
      const whole = Math.floor(now)
      const ahead = (words[WAKE]! - whole) | 0
      // At the end of time a sum may be no more than what it is of.
      return words[ARMED] === 0 || (ahead > 0 && whole + ahead === whole) ? FOREVER : (whole + ahead) * tick
    },
    _stop() {
      const now = readClock()
      const whole = Math.floor(now)
      const dueOf = (unit: number): number => far.get(unit) ?? whole + ((words[unit << 2]! - whole) | 0)
      scheduler._stopped = true
      scheduler._close?.()
      scheduler._onStop?.()
      const left = pendingUnits()
        .sort((a, b) => dueOf(a) - dueOf(b))
        .map((unit) => {
          const occupant = scheduler._occupant(unit)!
          const remaining = (dueOf(unit) - now) * tick
          return typeof occupant === 'function'
            ? { callback: occupant, args: [argumentOf(unit)], remaining }
            : { ...occupant._detach(), remaining, timeout: occupant as never }
        })
      pages.length = pending = 0
      // Whoever still holds the wheel holds its memory no longer.
      core = words = reals = scheduler._words = 0 as never
      return left
    },
  }

  function argumentOf(unit: number): unknown {
    return argumentPages[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  function view(): void {
    const { buffer } = core.memory
    scheduler._words = words = new Int32Array(buffer, MEMORY_ADDRESS)
    reals = new Float64Array(buffer, MEMORY_ADDRESS, 256)
  }

  /** Returns false where there is no memory for so many blocks: nothing has changed. */
  function grow(by: number): boolean {
    if (blocks + by > MAX_BLOCKS) return false
    try {
      core.memory.grow((by * BLOCK_BYTES) / PAGE)
    } catch {
      // A RangeError: it has no other reason to throw.
      return false
    }
    blocks += by
    core.extend(blocks)
    view()
    return true
  }

  function take(occupant: Occupant | undefined, argument: unknown): number {
    let unit = free
    if (unit) free = words[(unit << 2) | ORDER_NUMBER]!
    else {
      // By a sixteenth, or by one block where that is refused.
      if (used === blocks * RECORDS_PER_BLOCK && !grow((blocks >> 4) | 1) && !grow(1))
        throw wheelFull(pending)
      unit = unitOfRecord(used++)
      words[(unit << 2) | FILED] = NONE
    }
    const block = unit >>> BLOCK_SHIFT
    const i = unit & RECORD_MASK
    pages[block] ??= new Array(RECORDS_PER_BLOCK)
    pages[block][i] = occupant
    if (argument !== undefined) {
      argumentPages[block] ??= new Array(RECORDS_PER_BLOCK)
      argumentPages[block][i] = argument
    }
    return unit
  }

  /** Sets a record's deadline, and submits it unless it has an entry, and a wake-up, early enough for it. */
  function file(unit: number, tick: number): void {
    const record = unit << 2
    let deadline = tick | 0
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    words[record | DEADLINE] = deadline
    const filed = words[record | FILED]!
    if (filed !== QUEUED && (filed === NONE || ((deadline - filed) | 0) < 0 || ((deadline - wake) | 0) < 0)) {
      words[record | FILED] = QUEUED
      const submitted = words[SUBMITTED]!
      words[SUBMISSIONS + submitted] = unit
      words[SUBMITTED] = submitted + 1
      if (submitted + 1 === SUBMISSIONS_CAPACITY) {
        core.take()
        wake = words[WAKE]!
      }
    }
  }

  /** Those of the pending timers, in their order. */
  function pendingUnits(): number[] {
    const units: number[] = []
    for (let n = 0; n < used; n++) {
      const unit = unitOfRecord(n)
      if (words[unit << 2] !== NEVER) units.push(unit)
    }
    return units.sort((a, b) => words[(a << 2) | ORDER_NUMBER]! - words[(b << 2) | ORDER_NUMBER]!)
  }

  function readClock(): number {
    openEpoch()
    return reals[NOW]!
  }

  /** Reads the clock for the next 64 operations. */
  function openEpoch(): void {
    if (order > LAST_ORDER) {
      core.end(clock() / tick)
      const units = pendingUnits()
      for (order = 0; order < units.length; order++) words[(units[order]! << 2) | ORDER_NUMBER] = order
    }
    words[ORDER] = order
    core.begin(clock() / tick)
    // Nothing has moved the wheel for long, as nothing was pending: ticks must not wrap past it.
    while (!pending && reals[NOW]! - advanced > MAX_LAG) {
      advanced += MAX_LAG
      do core.advance(advanced)
      while (words[UNFINISHED])
    }
    wake = words[WAKE]!
    epochEnd = words[EPOCH_END]!
    onEpoch()
  }

  /** Runs a timer. False: an earlier callback has cancelled it or put it off, or its record serves another by now. */
  function run(unit: number): boolean {
    const deadline = words[unit << 2]!
    if (deadline === NEVER) return false
    // Put off. Or the page was frozen for weeks and the timer set before the wheel was moved again, from which its
    // deadline was too far: it has lost its entry.
    if (((advanced - deadline) | 0) < 0) {
      file(unit, deadline)
      return false
    }
    const due = far.get(unit)!
    const now = Math.floor(reals[NOW]!)
    // A stage on the way to a far deadline.
    if (due > now) {
      file(unit, Math.min(due, now + FARTHEST))
      return false
    }
    const occupant = scheduler._occupant(unit)!
    scheduler._ran++
    if (typeof occupant === 'function') {
      const argument = argumentOf(unit)
      scheduler._release(unit)
      occupant(argument)
    } else {
      occupant._expire()
    }
    return true
  }

  core.open(blocks)
  view()
  order = words[ORDER]!
  return scheduler
}
