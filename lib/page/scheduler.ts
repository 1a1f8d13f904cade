/**
 * One wheel's timers in a page: the records of the memory that it shares with the compiled core, the clock, and the order
 * of what is due. It does what lib/node/scheduler/scheduler.ts does for Node, in a few kilobytes: nothing here keeps a process alive,
 * carries a context or reports for others, and a refreshed timer is filed again instead of being looked up in a log.
 *
 * An operation can be interrupted by an exception at any call and at the start of each round of a loop: the stack may be
 * exhausted, the time of `vm` over. So each first prepares all that it needs, which changes nothing that counts, then changes
 * the state in one stretch of code without calls and loops. A call may follow whose loss does no harm.
 *
 * What begins with an underscore has a short name in the file that is published: .tooling/pages.mjs.
 */

import type { UnexpiredTimer } from '../api/wheel.js'
import { wheelFull, wheelStopped } from '../common/errors.js'
import { firstTick } from '../common/rounding.js'
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
  USED,
  unitOfRecord,
  WAKE,
} from '../memory/layout.js'
import type { WasmExports } from '../memory/wasm-exports.js'
import { FOREVER } from './forever.js'

export type OpenCore = () => WasmExports

export interface Handle {
  /** The record, or 0 while the timer is not pending. Written by the scheduler, together with the record. */
  _unit: number
  /** Calls {@link Scheduler._endDue}, then the callback. */
  _expire(): void
  /** Ends a timer whose record is gone already: its wheel was stopped. */
  _detach(): Pick<UnexpiredTimer, 'callback' | 'args'>
}
export type Callback = (argument: unknown) => unknown
export type TimerTarget = Callback | Handle

/** What a wheel holds of the numbers in ids. Apart from the wheel, so that it can be given back when that is collected. */
export interface ClaimedNumbers {
  /** By block. */
  readonly _numbers: number[]
  /** The most uses that any record has had. */
  _uses: number
}

export interface Scheduler {
  _stopped: boolean
  readonly _claims: ClaimedNumbers
  _words(): Int32Array
  /**
   * Files a timer that is due `ms` milliseconds from now, at the back of its tick's order. O(1).
   *
   * @param unit the record of a pending timer; 0: a new one
   * @param target whom a new timer is for
   * @param started in ticks, from where the delay counts; left out: from now
   * @returns the record's unit
   */
  _schedule(
    unit: number,
    target: TimerTarget | undefined,
    ms: number,
    argument?: unknown,
    started?: number,
  ): number
  /** Ends a timer: its record is free from now on, and whatever expiry is under way passes over it. O(1). */
  _cancel(unit: number): void
  /** Does the same for the timer whose callback {@link _step} is about to run. */
  _endDue(unit: number): void
  _targetOf(unit: number): TimerTarget | undefined
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
  /** Nothing is pending, and there is more memory than a wheel begins with. */
  _isSpare(): boolean
  /** If {@link _isSpare}, begins anew with as little memory as at first: WebAssembly gives none back. */
  _trim(): void
  /** Ends what moves the wheel. */
  _close?: () => void
  /** Gives back what ids hold. */
  _onTrim?: () => void
  _onStop?: () => void
}

const PAGE = 65536
/** Order numbers begin anew before they leave the range of small integers. */
const LAST_ORDER = 2 ** 30 - 2 * EPOCH_LENGTH
/** So many operations of a turn read the clock for themselves. A turn ends when the driver gets control. */
const EXACT = 32
/** The last of them, or the last 64 that shared a reading, took more ticks: work is done between them. As many again do so. */
const LONG = 0.5
/** Deadlines further off, in ticks, are approached in steps: ticks wrap at 2^32. */
const FARTHEST = 2 ** 29
/** A wheel that lags by more ticks is brought up to date in steps of twice as many. */
const MAX_LAG = 2 ** 29
/** In the place of views that are still to be made, and of those of a stopped wheel. */
const UNSEEN: unknown[] = []
const STOPPED = [0]
/** A record with so many uses is not used again: its ids are used up. */
export const MAX_USES = 2 ** 23

/**
 * @param clock milliseconds since the wheel was opened
 * @param onEpoch told of the first operation of a turn, at least, so that `_nextWake` is called at its end
 */
export function openScheduler(
  openCore: OpenCore,
  tick: number,
  clock: () => number,
  onEpoch: () => void,
): Scheduler {
  let core = openCore()
  /** Whom each record is for, by block. */
  const targets: (TimerTarget | undefined)[][] = []
  /** The arguments of occupants that have one, by block: a block has none while none of its records has. */
  const targetArguments: (unknown[] | undefined)[] = []
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
  /** How many more operations of this turn read the clock for themselves. */
  let exact = EXACT
  /** The tick up to which the wheel has been advanced, on the scale that does not wrap. */
  let advanced = 0
  /** The next of the expirations to run. */
  let next = 0

  const scheduler: Scheduler = {
    _stopped: false,
    _claims: { _numbers: [], _uses: 0 },
    _ran: 0,
    _words: fresh,
    _schedule(unit, target, ms, argument, started) {
      if (scheduler._stopped) throw wheelStopped()
      fresh()
      // Before a new timer counts: a wheel with nothing pending is brought up to date there.
      if (order >= epochEnd) openEpoch()
      makeRoom()
      const isNew = !unit
      if (isNew) unit = free || unused()
      const block = unit >>> BLOCK_SHIFT
      const i = unit & RECORD_MASK
      const record = unit << 2
      targets[block] ??= new Array(RECORDS_PER_BLOCK)
      if (argument !== undefined) targetArguments[block] ??= new Array(RECORDS_PER_BLOCK)
      const delay = ms / tick
      // Or the page was frozen for weeks: the wheel is too far behind to compare ticks with.
      const isFar = delay > FARTHEST || reals[NOW]! - advanced > MAX_LAG
      // The due time of a far timer is kept apart, and is not adjusted later.
      const isExact = exact || isFar
      const now = isExact ? clock() / tick : reals[NOW]!
      const from = started ?? now
      const ticks = Math.max(Math.floor(delay), 1)
      const fraction = delay - ticks
      const first = firstTick(from, fraction)
      const slack = first - (from + fraction)
      const whole = Math.floor(now)
      const deadline = (whole | 0) + Math.min(Math.max(first - whole + ticks, 1), FARTHEST)
      if (isFar) far.set(unit, first + ticks)

      file(unit, deadline)
      // No calls from here on.
      if (isNew) {
        if (unit === free) free = words[record | ORDER_NUMBER]!
        else words[USED] = ++used
        targets[block][i] = target
        if (argument !== undefined) targetArguments[block]![i] = argument
        if (typeof target === 'object') target._unit = unit
        pending++
      }
      if (!isExact && started === undefined) {
        const place = order - epochEnd + EPOCH_LENGTH
        if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
        reals[FRACTION + place] = fraction
        words[TOUCHED + place] = ~unit
      }
      if (exact) exact--
      words[record | ORDER_NUMBER] = order++
      // Lost, it leaves the timer that was pending before.
      if (!isFar && far.size) far.delete(unit)
      return unit
    },
    _cancel(unit) {
      fresh()
      end(unit)
      // Lost, it is made up for when the record is next used.
      if (far.size) far.delete(unit)
      // The host may have lost what wakes the others.
      if (!epochEnd) onEpoch()
    },
    _endDue(unit) {
      end(unit)
      next++
      scheduler._ran++
    },
    _targetOf: (unit) => targets[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK],
    _readClock: readClock,
    _pending: () => pending,
    _step() {
      if (scheduler._stopped) return false
      beginTurn()
      if (next >= words[EXPIRED]!) {
        // In steps, where the page was frozen for weeks: ticks further apart cannot be compared.
        const target = Math.min(Math.floor(readClock()), advanced + 2 * MAX_LAG)
        words[EXPIRED] = next = 0
        core.advance(target)
        advanced = target
      }
      while (next < words[EXPIRED]! && !run(words[EXPIRATIONS + next]!));
      return (
        !scheduler._stopped &&
        (next < words[EXPIRED]! || words[UNFINISHED] !== 0 || reals[NOW]! - advanced > MAX_LAG)
      )
    },
    _nextWake() {
      beginTurn()
      const now = clock() / tick
      core.end(now)
      core.take()
      const whole = Math.floor(now)
      // At once, if the wheel is too far behind to compare ticks with.
      const ahead = whole - advanced > MAX_LAG ? 0 : (words[WAKE]! - whole) | 0
      // At the end of time a sum may be no more than what it is of.
      return words[ARMED] === 0 || (ahead > 0 && whole + ahead === whole) ? FOREVER : (whole + ahead) * tick
    },
    _isSpare: () => !pending && blocks > 1,
    _trim() {
      if (!scheduler._isSpare()) return
      let empty: WasmExports
      try {
        empty = openCore()
        empty.open(1)
      } catch {
        // There is no memory for two at a time.
        return
      }
      // The uses of the new records are counted from 0 again.
      scheduler._onTrim?.()
      core = empty
      words = UNSEEN as never
      blocks = 1
      free = used = order = epochEnd = next = targets.length = targetArguments.length = 0
      // To the core it is tick 0.
      advanced -= advanced % 2 ** 32
      fresh()
    },
    _stop() {
      const now = readClock()
      const whole = Math.floor(now)
      const dueOf = (unit: number): number => far.get(unit) ?? whole + ((words[unit << 2]! - whole) | 0)
      const units = pendingUnits().sort((a, b) => dueOf(a) - dueOf(b))
      scheduler._stopped = true
      scheduler._close?.()
      scheduler._onStop?.()
      const left = units.map((unit) => {
        const target = scheduler._targetOf(unit)!
        const remaining = (dueOf(unit) - now) * tick
        return typeof target === 'function'
          ? { callback: target, args: [argumentOf(unit)], remaining }
          : { ...target._detach(), remaining, timeout: target as never }
      })
      targets.length = pending = 0
      blocks = 1
      // Whoever still holds the wheel holds its memory no longer.
      core = words = reals = STOPPED as never
      return left
    },
  }

  function argumentOf(unit: number): unknown {
    return targetArguments[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  /** The words of the memory. Made anew where the memory has grown, which detaches those of before. */
  function fresh(): Int32Array {
    if (!words.length) {
      const { buffer } = core.memory
      reals = new Float64Array(buffer, 0, 256)
      words = new Int32Array(buffer)
    }
    return words
  }

  /** What the driver begins with whenever it gets control. */
  function beginTurn(): void {
    epochEnd = 0
    exact = EXACT
    fresh()
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
    fresh()
    core.extend(blocks + by)
    blocks += by
    return true
  }

  /** A record that was never taken. It counts as taken once it serves a timer. */
  function unused(): number {
    // By a sixteenth, or by one block where that is refused.
    if (used === blocks * RECORDS_PER_BLOCK && !grow((blocks >> 4) | 1) && !grow(1)) throw wheelFull(pending)
    const unit = unitOfRecord(used)
    words[(unit << 2) | FILED] = NONE
    return unit
  }

  /** Makes room in the submissions, for {@link file}. */
  function makeRoom(): void {
    if (words[SUBMITTED]! >= SUBMISSIONS_CAPACITY) core.take()
  }

  /** Sets a record's deadline, and submits it unless it has an entry, and a wake-up, early enough for it. Calls nothing. */
  function file(unit: number, tick: number): void {
    const record = unit << 2
    let deadline = tick | 0
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    words[record | DEADLINE] = deadline
    const filed = words[record | FILED]!
    if (
      filed !== QUEUED &&
      (filed === NONE || ((deadline - filed) | 0) < 0 || ((deadline - words[WAKE]!) | 0) < 0)
    ) {
      words[record | FILED] = QUEUED
      const submitted = words[SUBMITTED]!
      words[SUBMISSIONS + submitted] = unit
      words[SUBMITTED] = submitted + 1
    }
  }

  /** Ends a timer. Calls nothing. */
  function end(unit: number): void {
    const record = unit << 2
    const i = unit & RECORD_MASK
    const page = targets[unit >>> BLOCK_SHIFT]!
    const given = targetArguments[unit >>> BLOCK_SHIFT]
    const target = page[i]
    if (typeof target === 'object') target._unit = 0
    page[i] = undefined
    if (given) given[i] = undefined
    pending--
    words[record | DEADLINE] = NEVER
    const uses = words[record | GENERATION]! + 1
    words[record | GENERATION] = uses
    if (uses > scheduler._claims._uses) scheduler._claims._uses = uses
    if (uses < MAX_USES) {
      words[record | ORDER_NUMBER] = free
      free = unit
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

  /** Reads the clock for the operations that follow: 64, or those that read it for themselves. */
  function openEpoch(): void {
    // Whatever of this is interrupted, the next operation begins anew.
    epochEnd = 0
    fresh()
    if (order > LAST_ORDER) {
      core.end(clock() / tick)
      const units = pendingUnits()
      for (let i = 0; i < units.length; i++) words[(units[i]! << 2) | ORDER_NUMBER] = i
      order = units.length
    }
    words[ORDER] = order
    const before = reals[NOW]!
    core.begin(clock() / tick)
    if (reals[NOW]! > before + LONG) exact = EXACT
    // Nothing has moved the wheel for long, as nothing was pending: ticks must not wrap past it.
    while (!pending && reals[NOW]! - advanced > MAX_LAG) {
      do core.advance(advanced + MAX_LAG)
      while (words[UNFINISHED])
      advanced += MAX_LAG
    }
    onEpoch()
    epochEnd = exact ? order + exact : words[EPOCH_END]!
  }

  /** Runs a timer. False: an earlier callback has cancelled it or put it off, or its record serves another by now. */
  function run(unit: number): boolean {
    const deadline = words[unit << 2]!
    const due = far.get(unit)!
    const now = Math.floor(reals[NOW]!)
    // Put off. Or the page was frozen for weeks and the timer set before the wheel was moved again, from which its
    // deadline was too far: it has lost its entry.
    const isPutOff = ((advanced - deadline) | 0) < 0
    // Or a stage on the way to a far deadline.
    if (deadline === NEVER || isPutOff || due > now) {
      makeRoom()
      if (deadline !== NEVER) file(unit, isPutOff ? deadline : Math.min(due, now + FARTHEST))
      next++
      return false
    }
    if (due) far.delete(unit)
    const target = scheduler._targetOf(unit)!
    if (typeof target === 'function') {
      const argument = argumentOf(unit)
      scheduler._endDue(unit)
      target(argument)
    } else {
      target._expire()
    }
    return true
  }

  core.open(blocks)
  words = reals = UNSEEN as never
  order = fresh()[ORDER]!
  return scheduler
}
