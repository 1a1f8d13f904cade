/**
 * The JavaScript half of a wheel, the same for Node and for pages: units, targets, and the queue of operations. It knows no host and no
 * clock, and computes no due time.
 *
 *   set      takes a free unit, stores its target, appends (unit, delay), makes it live
 *   move     appends (unit, delay): a refresh, a touch, a reschedule
 *   end      one store into the state of the unit. The core finds out when it comes to the unit's entry
 *   next     the next unit that the core has marked as expired, and that is still marked
 *
 * native/core/DESIGN.md has the states of a unit. All functions are in one closure, because minifiers shorten its variables. While there
 * is only one kernel, V8 also compiles the constants of the closure into the code. Names that begin with an underscore are shortened for
 * pages.
 */

import { wheelFull } from '../common/errors.js'
import type { Core } from '../memory/core.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, EXPIRATIONS, EXPIRED, FIRST_BLOCK, HELD, IN_SLICE, INDEX_MASK, KEEPS_LOOP_ALIVE, LIVE_BIT as LIVE, EXPIRED_BIT as MARK,
  QUEUE_CAPACITY, QUEUE_DELAYS, QUEUE_LIMIT, QUEUE_UNITS, QUEUED, RECORDS_PER_BLOCK, REFERENCED, RETAINED, STATES, UNFINISHED,
  UNREFERENCED, USED, unitOfRecord,
} from '../memory/layout.js'
import { FEW, LAST_STATE, SPAN_SHIFT, UNIT_MASK } from './constants.js'
import type { Callbacks, Cell, Owned, Owner, Target, UnitList } from './target.js'

export type Kernel = ReturnType<typeof openKernel>

/** The options of a wheel that the kernel heeds. */
export interface KernelOptions {
  /** The length of a tick in milliseconds. */
  readonly tick: number
  /** Whether timers let the process end. */
  readonly unref: boolean
}

export function openKernel(core: Core, { tick, unref }: KernelOptions) {
  /** The target of each unit, by block. */
  const targets: Cell[][] = []
  /** The argument of each unit, by block; a block is undefined while none of its units has an argument. */
  const args: (unknown[] | undefined)[] = []
  let used = 0
  let capacity = RECORDS_PER_BLOCK - 1
  /** The most recently freed unit of no owner, or 0; each free unit names the next. */
  let free = 0
  /** The index of the next expiration. */
  let next = 0
  /** The unit of the interval whose callback runs, or 0. */
  let running = 0
  const { _apply: apply } = core
  const soonest = Math.min(tick, 1)

  // ---- operations ---------------------------------------------------------------------------------------------------

  // A stack overflow or a time limit of `vm` can interrupt JavaScript where a function is called or a loop begins again. So no call is
  // between stores that belong together: a timer with its operation and its count.

  /**
   * Sets a timer. O(1).
   *
   * @param delay milliseconds. 0 becomes a millisecond, or a shorter tick, so that what a callback sets does not run in the same pass
   * @param isReferenced whether it keeps the event loop alive; default: as the wheel says
   * @param list its owner's, which has a free unit; default: it has no owner
   * @returns its unit
   * @throws RangeError if there is no memory for more timers
   * @throws the error of `_refuse`
   */
  function set(target: Cell, delay: number, isReferenced = !unref, list?: UnitList): number {
    kernel._refuse?.(taken())
    const unit = list ? list._free : free || fresh()
    // Read after `fresh`, which can replace the views. A variable, and `stateOf` written out: V8 interprets what runs seldom.
    const words = core.words
    const at = FIRST_BLOCK + STATES + ((unit & ~INDEX_MASK) << 2) + (unit & INDEX_MASK)
    const queued = append(unit, delay)
    const block = targets[unit >>> BLOCK_SHIFT]!
    if (list) {
      list._free = block[unit & INDEX_MASK] as number
      list._size++
    } else free = block[unit & INDEX_MASK] as number
    block[unit & INDEX_MASK] = target
    words[at]! += LIVE
    words[isReferenced ? REFERENCED : UNREFERENCED]!++
    kernel._scheduled++
    if (queued >= words[QUEUE_LIMIT]!) apply()
    // Otherwise the event loop could end before the queue is applied.
    if (words[HELD]! < (isReferenced ? KEEPS_LOOP_ALIVE : RETAINED)) core._hold()
    return unit
  }

  /** Gives a live unit a new delay. It runs last of its tick. O(1). The parameters are those of {@link append}. */
  function move(unit: number, delay: number): void {
    const words = core.words
    // 0: nothing is expired, so it has no mark.
    const at = words[EXPIRED]! && stateOf(unit)
    const queued = append(unit, delay)
    if (at !== 0) words[at]! &= ~MARK
    if (queued >= words[QUEUE_LIMIT]!) apply()
  }

  /** Gives a live unit a due time above 0, which can have passed. O(1). */
  function moveTo(unit: number, due: number): void {
    move(unit, -due)
  }

  /**
   * Appends an operation to the queue.
   *
   * @param delay milliseconds; below 0: the due time, negated
   * @returns the number of queued operations
   */
  function append(unit: number, delay: number): number {
    const words = core.words
    let count = words[QUEUED]!
    // An interrupted call can have left a full queue.
    if (count === QUEUE_CAPACITY) {
      apply()
      count = 0
    }
    words[QUEUE_UNITS + count] = unit
    core.reals[(QUEUE_DELAYS >> 1) + count] = delay || soonest
    // Without `| 0`, V8 checks for an overflow.
    count = (count + 1) | 0
    words[QUEUED] = count
    return count
  }

  /** Ends a live unit. O(1). @param list its owner's */
  function end(unit: number, isReferenced: boolean, list?: UnitList): void {
    const words = core.words
    const at = FIRST_BLOCK + STATES + ((unit & ~INDEX_MASK) << 2) + (unit & INDEX_MASK)
    // Ends the generation and the mark in one store.
    const state = (words[at]! | MARK) + 1
    words[at] = state
    words[isReferenced ? REFERENCED : UNREFERENCED]!--
    if (unit === running) running = 0
    targets[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK] = list ? list._free : free
    if (list) list._size--
    // After its last generation, it is not used again.
    if (state < LAST_STATE) {
      if (list) list._free = unit
      else free = unit
    }
    // The event loop may end. At the end of a slice, the driver looks itself.
    if (isReferenced && !words[REFERENCED] && !words[IN_SLICE]) core._release()
  }

  /** Lets a unit be used again. */
  function give(unit: number): void {
    targets[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK] = free
    free = unit
  }

  /** Carries out what is queued, before a look at the wheel. */
  function settle(): void {
    if (core.words[QUEUED] !== 0) apply()
  }

  /** When a live unit is due, in milliseconds of the core's clock. */
  function dueOf(unit: number): number {
    settle()
    return core.reals[(FIRST_BLOCK >> 1) + (unit << 1)]!
  }

  /** Takes a unit that was never used, or one that an owner has given back. */
  function fresh(): number {
    return kernel._owned?._takeSpare() || unused()
  }

  function unused(): number {
    if (used === capacity) {
      capacity = core._grow() - 1
      if (used === capacity) throw wheelFull(pending())
    }
    const unit = unitOfRecord(used)
    const i = unit & INDEX_MASK
    const block = unit >>> BLOCK_SHIFT
    targets[block] ??= new Array(FEW).fill(0)
    // In one step. If it grew by itself, it would have room for half as much again.
    if (i === FEW) targets[block] = targets[block]!.concat(new Array(RECORDS_PER_BLOCK - FEW).fill(0))
    core.words[USED] = ++used
    return unit
  }

  /** The number of timers, the interval whose callback runs included. */
  function taken(): number {
    return core.words[REFERENCED]! + core.words[UNREFERENCED]!
  }

  function pending(): number {
    return taken() - (running && 1)
  }

  /** @throws the error of `_refuse`. The interval whose callback runs counts */
  function checkRoom(): void {
    kernel._refuse?.(taken())
  }

  /** The owner of a unit, if it has one: see owners.ts. */
  const ownerOf = (unit: number): Owner | undefined => kernel._owned?._bySpan[unit >>> SPAN_SHIFT]

  // ---- numbers ------------------------------------------------------------------------------------------------------

  /**
   * The number of a live unit. No other timer of the wheel ever has it. Bit 31 is set in all of them, and in none of a page's own timers: a
   * page takes numbers modulo 2^32.
   */
  function numberOf(unit: number): number {
    const uses = core.words[stateOf(unit)]! >>> 2
    return (uses >>> 5) * 2 ** 32 + 2 ** 31 + (((uses & 31) << 26) | unit)
  }

  /** The live unit of a number; 0: its timer has ended, or there was none. */
  function unitOf(number: number): number {
    const unit = number & UNIT_MASK
    // A forged number must not lead to a word that is no state.
    if ((unit & INDEX_MASK) >= RECORDS_PER_BLOCK || (core.words[stateOf(unit)]! & LIVE) === 0) return 0
    return numberOf(unit) === number ? unit : 0
  }

  // ---- due timers ---------------------------------------------------------------------------------------------------

  /** The next unit that runs. 0: all expirations are done, and forgotten. If `UNFINISHED` is set, `_resume` of the core hands over more. */
  function nextDue(): number {
    const words = core.words
    const count = words[EXPIRED]!
    while (next < count) {
      const unit = words[EXPIRATIONS + next]!
      const at = FIRST_BLOCK + STATES + ((unit & ~INDEX_MASK) << 2) + (unit & INDEX_MASK)
      if ((words[at]! & MARK) !== 0) return unit
      next++
    }
    words[EXPIRED] = next = 0
    return 0
  }

  /** The index of the expiration that {@link nextDue} has returned. */
  function position(): number {
    return next
  }

  /** Runs the unit that {@link nextDue} has returned. */
  function run(unit: number): void {
    next++
    kernel._fired++
    const target = targets[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK]
    const { _owned: owned } = kernel
    const owner = owned === undefined ? undefined : owned._bySpan[unit >>> SPAN_SHIFT]
    if (owner !== undefined) {
      const { _expire } = owner
      owned!._end(owner, unit)
      _expire(target)
    } else if (typeof target === 'function') {
      const argument = kernel._callbacks!._cancel(unit)
      target(argument)
    } else (target as Target)._expire(unit)
  }

  /** Keeps the unit of an interval that runs. It is not pending until it is moved, and {@link ran} is called. */
  function keep(unit: number): void {
    core.words[stateOf(unit)]! &= ~MARK
    running = unit
    kernel._again++
  }

  function ran(): void {
    running = 0
  }

  /** Lets the unit that runs be the next one again, unless it is moved or ended. */
  function stay(): void {
    next--
  }

  /** Repairs what an exception has left: a growth of the memory, a unit that has not begun to run, and an interval whose run has no end. */
  function mend(): void {
    // Taking a unit grows the memory again, which replaces the views that an interrupted growth has left without memory.
    if (!core.words.length) give(unused())
    const unit = next && core.words[EXPIRATIONS + next - 1]!
    // Whatever runs loses its mark first, or stays the next one.
    if (unit && core.words[stateOf(unit)]! & MARK) {
      // Not at once: a handle that the program has damaged could hold up the other timers.
      move(unit, soonest)
      kernel._fired--
    }
    if (running) (targetOf(running) as Target)._endRun?.(running)
    running = 0
  }

  /** Whether the pass can have more. Goes past the expirations that are over. */
  function hasDue(): boolean {
    return nextDue() !== 0 || core.words[UNFINISHED] !== 0
  }

  /** Runs the next due timer. Returns whether the pass can have more. @throws the error of its callback */
  function step(runner = run): boolean {
    mend()
    let unit = nextDue()
    while (unit === 0 && core.words[UNFINISHED]) {
      core._resume()
      unit = nextDue()
    }
    if (unit !== 0) runner(unit)
    return hasDue()
  }

  const targetOf = (unit: number): Cell => targets[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK]

  // Without accessors: V8 would make a slow dictionary of it.
  const kernel = {
    // First what a wake-up uses, so that it lies in few cache lines.
    /** Called with the number of timers before another is set. It throws if the wheel takes no more. */
    _refuse: undefined as ((taken: number) => void) | undefined,
    /** The timers that were set. */
    _scheduled: 0,
    /** The calls of callbacks, and those among them after which the timer went on. */
    _fired: 0,
    /** The units of owners; undefined: no unit ever had one. */
    _owned: undefined as Owned | undefined,
    /** Whether handles catch the errors of their callbacks, and report them. */
    _catches: false,
    _set: set,
    _end: end,
    _move: move,
    _again: 0,
    _isUnref: unref,
    _tick: tick,
    /** The delay that takes the place of 0. */
    _soonest: soonest,
    /** When the wheel was made, on the core's clock. */
    _origin: core._readClock(),
    _readClock: core._readClock,
    /** The host's clock less the core's. */
    _hostOffset: 0,
    /** Whether its clock can move between any two calls, because a test tool moves it. */
    _isFaked: false,
    /** Whether the wheel was stopped. */
    _stopped: false,
    /** The timers that call a callback; undefined: there never was one. */
    _callbacks: undefined as Callbacks | undefined,
    // For the functions of the kernel that are in files of their own.
    _core: core,
    _targets: targets,
    _args: args,
    _give: give,
    _unused: unused,

    _moveTo: moveTo,
    _dueOf: dueOf,
    _pending: pending,
    _taken: taken,
    _checkRoom: checkRoom,
    _ownerOf: ownerOf,
    _settle: settle,
    _numberOf: numberOf,
    _unitOf: unitOf,
    _next: nextDue,
    _position: position,
    _run: run,
    _keep: keep,
    _ran: ran,
    _stay: stay,
    _mend: mend,
    _hasDue: hasDue,
    _step: step,
    _isRunning: (unit: number): boolean => unit === running,
    _targetOf: targetOf,
  }
  return kernel
}

/** Whether a unit that `_next` has returned is still to run. Other code may have moved or ended its timer since. */
export function isDue({ _core }: Kernel, unit: number): boolean {
  return (_core.words[stateOf(unit)]! & MARK) !== 0
}

/** The index of the word with the state of a unit. */
export function stateOf(unit: number): number {
  return FIRST_BLOCK + STATES + ((unit & ~INDEX_MASK) << 2) + (unit & INDEX_MASK)
}
