/**
 * The scheduler of one wheel in a page: the records that it shares with the compiled core, the clock, and the order of due
 * timers. It does the work of lib/node/scheduler/ in a few kilobytes: it keeps no process alive, carries no async context
 * and reports no errors. A refreshed timer is filed again instead of looked up in a log.
 *
 * The state is in the variables of one closure, because minifiers shorten variables. Names that begin with an underscore are
 * shortened in the published file: see .tooling/pages.mjs. The first word of a record, `words[unit << 2]`, is its deadline.
 */

import { EXACT, FOREVER, LAST_ORDER, LONG } from '../common/constants.js'
import { wheelFull } from '../common/errors.js'
import { firstTick } from '../common/ticks.js'
// biome-ignore format: a list of words
import {
  ARMED, BLOCK_BYTES, BLOCK_SHIFT, EPOCH_END, EPOCH_LENGTH, EXPIRATIONS, EXPIRED, FARTHEST, FILED, FIRST_STATE, FRACTION,
  GENERATION, LEAST_SLACK, MAX_BLOCKS, NEVER, NONE, NOW, ORDER, ORDER_NUMBER, QUEUED, RECORD_MASK, RECORDS_PER_BLOCK,
  SUBMISSIONS, SUBMISSIONS_CAPACITY, SUBMITTED, TOUCHED, UNFINISHED, USED, unitOfRecord, WAKE, WASM_GROWTH,
} from '../memory/layout.js'
import { MAX_USES } from './constants.js'
import { renumber, unitsInOrder } from './order-numbers.js'
import type { Clock, Handle, OpenCore, Scheduler, TimerTarget } from './scheduler-types.js'

/** The values of the views before they are made, and in a stopped wheel. */
const UNSEEN: unknown[] = []
const STOPPED = [0]

/**
 * All times are in ticks: see `scale` in wheel.ts for wheels whose ticks are not 1 ms.
 *
 * @param onEpoch called at least at the first operation of a turn. The driver calls `_nextWake` at the end of that turn
 */
export function openScheduler(open: OpenCore, clock: Clock, onEpoch: () => void, lag: Clock): Scheduler {
  let core = open()
  /** The target of each record, by block. */
  const targets: (TimerTarget | undefined)[][] = []
  /** The argument of each target, by block; a block is undefined while none of its targets has an argument. */
  const targetArguments: (unknown[] | undefined)[] = []
  /** The due ticks of timers beyond `FARTHEST`, by unit. */
  const far = new Map<number, number>()
  let words: Int32Array = UNSEEN as never
  let reals!: Float64Array
  let blocks = 1
  /** The most recently freed record, or 0; each free record names the next. */
  let free = 0
  /** The number of records that were ever taken, and the number of pending timers. */
  let used = 0
  let pending = 0
  /** The record of the interval whose callback runs, or 0. If an exception skipped the end of its run, `_step` ends it. */
  let running = 0
  /** The next order number, and the number at which the clock must be read again. */
  let order = 0
  let epochEnd = 0
  /** How many of the next operations of this turn read the clock. */
  let exact = EXACT
  /** The tick up to which the wheel has been advanced, on the scale that does not wrap. */
  let advanced = 0
  /** The index of the next expiration to run. */
  let next = 0

  const scheduler: Scheduler = {
    _set: 0,
    _ran: 0,
    _again: 0,
    _words: restoreViews,
    _clock: clock,
    _lag: lag,
    _schedule(unit, target, delay, argument, started) {
      scheduler._stopped?.()
      restoreViews()
      // Before a new timer counts, because `openEpoch` advances a lagging wheel only if nothing is pending.
      if (order >= epochEnd) openEpoch()
      if (words[SUBMITTED]! >= SUBMISSIONS_CAPACITY) core.take()
      const isNew = !unit
      if (isNew) unit = free || prepareFresh()
      const block = unit >>> BLOCK_SHIFT
      const i = unit & RECORD_MASK
      const record = unit << 2
      targets[block] ??= new Array(RECORDS_PER_BLOCK)
      if (argument !== undefined) targetArguments[block] ??= new Array(RECORDS_PER_BLOCK)
      // The due time of a far timer is stored apart, and is never adjusted. If the page was frozen for weeks, timers with short delays are far
      // too: the wheel's tick is too far away for a comparison.
      const isExact = exact || delay > FARTHEST - 1 || reals[NOW]! - advanced > FARTHEST
      const now = isExact ? clock() : reals[NOW]!
      const isFar = isExact && now + delay - advanced > FARTHEST
      const ticks = Math.max(Math.floor(delay), 1)
      const fraction = delay - ticks
      const first = firstTick(started ?? now, fraction)
      const whole = Math.floor(now)
      const deadline = (whole | 0) + Math.min(Math.max(first - whole + ticks, 1), FARTHEST)
      if (isFar) far.set(unit, first + ticks)
      else if (far.size) far.delete(unit)
      file(unit, deadline)
      if (running === unit) running = 0
      if (isNew) {
        if (unit === free) free = words[record | ORDER_NUMBER]!
        else words[USED] = ++used
        targets[block][i] = target
        if (argument !== undefined) targetArguments[block]![i] = argument
        if (typeof target === 'object') target._unit = unit
        pending++
        scheduler._set++
      }
      if (!isExact && started === undefined) {
        const index = order - epochEnd + EPOCH_LENGTH
        const slack = first - (now + fraction)
        if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
        reals[FRACTION + index] = fraction
        words[TOUCHED + index] = ~unit
      }
      if (exact) exact--
      words[record | ORDER_NUMBER] = order++
      return unit
    },
    _cancel(unit) {
      restoreViews()
      end(unit)
      if (far.size) far.delete(unit)
      // The host can have lost the wake-up for the other timers.
      if (!epochEnd) onEpoch()
    },
    _endDue(unit, repeats) {
      if (repeats) {
        running = unit
        scheduler._again++
      } else end(unit)
      next++
      scheduler._ran++
    },
    _targetOf: (unit) => targets[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK],
    _argumentOf: (unit) => targetArguments[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK],
    _due: (unit) => far.get(unit) ?? advanced + ((words[unit << 2]! - advanced) | 0),
    _readClock() {
      openEpoch()
      return reals[NOW]!
    },
    _units: () => unitsInOrder(words, running),
    _taken: () => pending,
    _pending: () => pending - (running && 1),
    _step() {
      if (scheduler._stopped) return false
      if (running) (scheduler._targetOf(running) as Handle)._end()
      beginTurn()
      if (next >= words[EXPIRED]!) {
        // In several advances, if the page was frozen for weeks: ticks further apart cannot be compared.
        const target = Math.min(Math.floor(scheduler._readClock() - lag()), advanced + 2 * FARTHEST)
        words[EXPIRED] = next = 0
        core.advance(target)
        advanced = target
      }
      while (next < words[EXPIRED]! && !run(words[EXPIRATIONS + next]!));
      return (
        !scheduler._stopped &&
        (next < words[EXPIRED]! || words[UNFINISHED]! > 0 || reals[NOW]! - advanced > FARTHEST)
      )
    },
    _nextWake() {
      beginTurn()
      const now = clock()
      core.end(now)
      core.take()
      const whole = Math.floor(now)
      // At once, if the wheel lags too far for a comparison of ticks.
      const ahead = whole - advanced > FARTHEST ? 0 : (words[WAKE]! - whole) | 0
      // At the end of virtual time, the sum can round to `whole` itself.
      return words[ARMED] === 0 || (ahead > 0 && whole + ahead === whole) ? FOREVER : whole + ahead + lag()
    },
    _end(stopped) {
      scheduler._stopped = stopped
      // The interval whose callback runs ends with this run.
      if (running) scheduler._again--
      pending = running = targets.length = targetArguments.length = 0
      blocks = 1
      // A reference to the stopped wheel must not keep its memory.
      core = words = reals = STOPPED as never
    },
  }

  /** Returns the words of the memory. Makes new views if the memory has grown, which detaches the old ones. */
  function restoreViews(): Int32Array {
    if (!words.length) {
      const { buffer } = core.memory
      reals = new Float64Array(buffer)
      words = new Int32Array(buffer)
    }
    return words
  }

  /** Begins a turn: called first whenever the driver runs. */
  function beginTurn(): void {
    epochEnd = 0
    exact = EXACT
    restoreViews()
  }

  /** Adds blocks. Returns false if there is no memory or no room for more records. Then nothing has changed. */
  function grow(by: number): boolean {
    if (blocks + by > MAX_BLOCKS) return false
    try {
      core.memory.grow(by * (BLOCK_BYTES / WASM_GROWTH))
    } catch {
      return false
    }
    restoreViews()
    core.extend(blocks + by)
    blocks += by
    return true
  }

  /** Returns a record that was never taken. It counts as taken when it gets a timer. */
  function prepareFresh(): number {
    // By 1/16, or by one block if that fails.
    if (used === blocks * RECORDS_PER_BLOCK && !grow((blocks >> 4) | 1) && !grow(1)) throw wheelFull(pending)
    const unit = unitOfRecord(used)
    words[(unit << 2) | FILED] = NONE
    return unit
  }

  /** Sets a record's deadline, and submits the record if needed. The caller has made room. */
  function file(unit: number, tick: number): void {
    const record = unit << 2
    let deadline = tick | 0
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    words[record] = deadline
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

  /** Ends a timer. */
  function end(unit: number): void {
    const record = unit << 2
    const i = unit & RECORD_MASK
    const page = targets[unit >>> BLOCK_SHIFT]!
    const given = targetArguments[unit >>> BLOCK_SHIFT]
    const target = page[i]
    page[i] = undefined
    if (given) given[i] = undefined
    pending--
    words[record] = NEVER
    if (running === unit) running = 0
    const uses = words[record | GENERATION]! + 1
    words[record | GENERATION] = uses
    if (uses < MAX_USES) {
      words[record | ORDER_NUMBER] = free
      free = unit
    }
    // Last, because it throws if the program has frozen the handle.
    if (typeof target === 'object') target._unit = 0
  }

  /** Reads the clock for the next operations: 64, or those that read it each. */
  function openEpoch(): void {
    epochEnd = 0
    restoreViews()
    if (order > LAST_ORDER) {
      core.end(clock())
      order = renumber(words)
    }
    words[ORDER] = order
    const before = reals[NOW]!
    core.begin(clock())
    if (reals[NOW]! > before + LONG) exact = EXACT
    // Advance a wheel that had no timers for long, before the ticks wrap past it.
    while (!pending && reals[NOW]! - advanced > FARTHEST) {
      do core.advance(advanced + FARTHEST)
      while (words[UNFINISHED])
      advanced += FARTHEST
    }
    onEpoch()
    epochEnd = exact ? order + exact : words[EPOCH_END]!
  }

  /** Runs a timer. False: an earlier callback has cancelled or postponed it, or its record belongs to another timer. */
  function run(unit: number): boolean {
    const deadline = words[unit << 2]!
    const due = far.get(unit)!
    // Postponed. Or the page was frozen for weeks, and the timer was set before the wheel moved again: its deadline was too
    // far from the wheel's tick, and the record has lost its entry.
    const isPutOff = ((advanced - deadline) | 0) < 0
    // If `due > advanced`, a stage of a far timer has expired.
    if (deadline === NEVER || isPutOff || due > advanced) {
      if (words[SUBMITTED]! >= SUBMISSIONS_CAPACITY) core.take()
      if (deadline !== NEVER) file(unit, isPutOff ? deadline : Math.min(due, advanced + FARTHEST))
      next++
      return false
    }
    if (due) far.delete(unit)
    const target = scheduler._targetOf(unit)!
    if (typeof target === 'object') target._expire()
    else {
      const argument = scheduler._argumentOf(unit)
      scheduler._endDue(unit)
      target(argument)
    }
    return true
  }

  core.open(blocks)
  return scheduler
}
