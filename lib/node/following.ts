/**
 * Drives a wheel by the timers of a test tool while the tool fakes them, else by those of the host: `timeout-wheel/testing` puts this
 * instead of the other drivers. Each timer of the wheel has a timer of the tool, which runs it. So the tool counts them, comes to
 * each at its own time, and runs microtasks between them as it does between its own. That takes the hooks below, and is slow.
 *
 * A tool forgets its timers when it ends, and when it is told to. The timers that were set since it began are cancelled then,
 * as its own are; maps and groups outlive a test, so theirs stay. No tool tells us. So the wheel looks at the start of its operations,
 * and every few milliseconds of real time while timers that go on in real time are pending in the time of a tool.
 */

import { FOREVER } from '../common/forever.js'
import { unitsPerMs, unitsPerTick } from '../common/ticks.js'
import type { Core } from '../memory/core.js'
// biome-ignore format: a list of words
import {
  EXPIRATIONS, HELD, KEEPS_LOOP_ALIVE, REFERENCED, RETAINED, UNREFERENCED,
} from '../memory/layout.js'
import { Backend, expireAt } from './drivers/backend.js'
import { MAX_HOST_DELAY } from './drivers/host-alarm.js'
import { heldOf } from './drivers/wheel-words.js'
import type { Host, HostTimer } from './host/host.js'
import { TestClock } from './host/test-clock.js'
import { end } from './scheduler/ending.js'
import { dueOf } from './scheduler/refreshes.js'
import type { Scheduler } from './scheduler/scheduler.js'
import { type Handle, isGroup, type TimerTarget } from './scheduler/timer-target.js'

/** The timer of the tool for a timer of the wheel. */
interface Pending {
  readonly timer: HostTimer
  readonly clear: () => void
  /** The source in which the program has set the timer: see test-clock.ts. */
  readonly key: object | undefined
  /** It goes on when the tool has ended. */
  readonly isLasting: boolean
}

/** Whether a record belongs to a map or a group. */
const isOfMany = (target: TimerTarget | undefined): boolean =>
  typeof target === 'object' && (target.isHidden || isGroup(target))

export class FollowingBackend extends Backend {
  /** So maps read the time in each call. */
  override readonly virtual = this
  readonly #client: Scheduler
  readonly #clock: TestClock
  readonly #perMs: number
  readonly #perTick: number
  /** By unit, in the order of the last operations. */
  readonly #pending = new Map<number, Pending>()
  /** The number of pending timers that go on when the tool has ended. */
  #lasting = 0
  /** The timers that a tool has dropped, by unit. They are cancelled between operations, because these must not change others. */
  readonly #dropped = new Map<number, TimerTarget>()
  /** Whether an operation is under way. */
  #isBusy = false
  /** The tick whose timer the tool runs, if it has moved its clock to the end of a longer time before. */
  #running: number | undefined
  /** The source in which the running timer was set. */
  #runningKey: object | undefined
  /** Whether a tool runs the timer, as opposed to the host. */
  #isInTool = false
  #isHeld = true

  /** @param own the `setTimeout` of the package */
  constructor(core: Core, host: Host, tick: number, client: Scheduler, own: unknown) {
    super(core)
    this.#client = client
    this.#perMs = unitsPerMs(tick)
    this.#perTick = unitsPerTick(tick)
    const onLook = () => {
      this.#look()
      return this.#lasting > 0 && this.#clock.key !== undefined
    }
    this.#clock = new TestClock(host, own, () => this.#follow(), onLook)
    this.#hook(client, host)
  }

  #hook(client: Scheduler, host: Host): void {
    const { schedule, scheduleId, scheduleNextRun, setDeadline, cancel, openEpoch, openSharedEpoch } = client
    const hooks: Partial<Scheduler> = {
      host: {
        ...host,
        now: () => this.time,
        // The tool gets the errors of callbacks.
        reportsErrors: () => !this.#isInTool && host.reportsErrors(),
      },
      now: () => this.#running ?? this.now(),
      // An epoch has one operation: the tool can move the clock after each.
      openEpoch: () => {
        client.epochEnd = 0
        this.#whileBusy(() => openEpoch.call(client))
      },
      openSharedEpoch: () => {
        openSharedEpoch.call(client)
        client.epochEnd = 0
      },
      schedule: (unit, target, ms) => {
        // The callers with a function have already looked at the free records.
        if (unit === 0 && typeof target === 'object') this.#look()
        const set = this.#whileBusy(() => schedule.call(client, unit, target, ms))
        this.#set(set)
        return set
      },
      scheduleId: (...parameters) => {
        this.#look()
        return scheduleId.apply(client, parameters)
      },
      scheduleNextRun: (interval, due, referenced) => {
        const unit = scheduleNextRun.call(client, interval, due, referenced)
        // Its callback has ended the tool.
        if (this.#runningKey !== undefined && this.#runningKey !== this.#clock.key) this.#drop(unit, interval)
        return unit
      },
      setDeadline: (unit, tick, order, farDue) => {
        setDeadline.call(client, unit, tick, order, farDue)
        this.#set(unit)
      },
      cancel: (unit, referenced) => {
        cancel.call(client, unit, referenced)
        this.#forget(unit)
      },
      // At once, because the tool has to know the time.
      refresh: (handle) => {
        this.#look()
        const { _unit: unit, _ms: ms } = handle as Handle & { _unit: number }
        if (unit !== 0) client.schedule(unit, undefined, ms)
      },
    }
    Object.assign(client, hooks)
    // Every count of the pending timers reads it.
    Object.defineProperty(client, 'records', {
      get: () => {
        this.#look()
        const { words } = this.core
        return words[REFERENCED]! + words[UNREFERENCED]!
      },
    })
  }

  /** Notices whether a tool has begun, has ended or has dropped its timers, and cancels those. */
  #look(): void {
    this.now()
    if (this.#pending.size > 0 && this.#clock.isEmpty) this.#follow()
    if (this.#isBusy || this.#dropped.size === 0) return
    this.#whileBusy(() => {
      for (const [unit, target] of this.#dropped) end(this.#client, unit, target)
    })
  }

  #whileBusy<R>(run: () => R): R {
    const wasBusy = this.#isBusy
    this.#isBusy = true
    try {
      return run()
    } finally {
      this.#isBusy = wasBusy
    }
  }

  /** Milliseconds. */
  get time(): number {
    return this.#clock.now()
  }

  now(): number {
    const ms = this.time
    // Microseconds are whole: see common/ticks.ts.
    return (this.#perMs === 1 ? ms : Math.floor(ms * this.#perMs + 2 ** -10)) / this.#perTick
  }

  override expire(advanced: number): number {
    return expireAt(this.core, advanced, Math.min(this.now(), this.#running ?? FOREVER))
  }

  hold(held: number): void {
    this.core.words[HELD] = held
    const isHeld = held === KEEPS_LOOP_ALIVE
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    for (const { timer } of this.#pending.values()) this.#hold(timer)
  }

  idle(): void {
    this.hold(RETAINED)
  }

  close(): void {
    for (const unit of [...this.#pending.keys()]) this.#forget(unit)
    this.#dropped.clear()
  }

  #hold(timer: HostTimer): void {
    if (this.#isHeld) timer.ref?.()
    else timer.unref?.()
  }

  /** Sets the timer of the tool for a record. @param former the timer whose place it takes, if the program has not set it now */
  #set(unit: number, former?: Pending): void {
    const now = this.now()
    if (this.#dropped.has(unit)) return
    this.#forget(unit)
    const { key } = former ?? this.#clock
    const left = ((dueOf(this.#client, unit, now) - now) * this.#perTick) / this.#perMs
    // Rounded up, but not because of the last digits of a quotient.
    const delay = Math.min(Math.ceil(left - 2 ** -10), MAX_HOST_DELAY)
    const { timer, clear } = this.#clock.set(() => this.#fire(unit, clear), delay)
    this.#hold(timer)
    const isLasting = key === undefined || isOfMany(this.#client.targetOf(unit))
    this.#pending.set(unit, { timer, clear, key, isLasting })
    if (!isLasting) return
    this.#lasting++
    if (this.#clock.key !== undefined) this.#clock.watch()
  }

  #forget(unit: number): void {
    this.#dropped.delete(unit)
    this.#pending.get(unit)?.clear()
    this.#remove(unit)
  }

  #remove(unit: number): void {
    if (this.#pending.get(unit)?.isLasting && --this.#lasting === 0) this.#clock.rest()
    this.#pending.delete(unit)
  }

  #drop(unit: number, target: TimerTarget): void {
    this.#forget(unit)
    this.#dropped.set(unit, target)
  }

  /** A tool has begun, has ended or has dropped its timers. */
  #follow(): void {
    const all = [...this.#pending]
    this.#pending.clear()
    this.#lasting = 0
    for (const [unit, former] of all) {
      former.clear()
      if (former.isLasting) this.#set(unit, former)
      else this.#drop(unit, this.#client.targetOf(unit)!)
    }
  }

  /** Runs a timer, whose time has come. */
  #fire(unit: number, clear: () => void): void {
    const fired = this.#pending.get(unit)
    if (fired?.clear !== clear) return
    this.#remove(unit)
    const client = this.#client
    this.#look()
    const outer = this.#runningKey
    const wasInTool = this.#isInTool
    this.#runningKey = fired.key
    this.#isInTool = this.#clock.key !== undefined
    try {
      while (!client.stopped && this.#isDue(unit)) {
        this.#running = this.#clock.isAhead ? dueOf(this.#client, unit, this.now()) : undefined
        client.slice.budget = 0
        // One callback: the microtasks of each run before the next. If another one was first, its own timer finds it done.
        const hasMore = client.dispatch()
        this.#passMoved(unit)
        if (!hasMore && this.#isDue(unit)) break
      }
    } finally {
      this.#running = undefined
      this.#runningKey = outer
      this.#isInTool = wasInTool
      if (!client.stopped) {
        if (this.#isWaiting(unit)) this.#set(unit, fired)
        this.hold(heldOf(this.core.words))
      }
    }
  }

  /** Passes the expiration of a timer that its own run has moved, as that of a map. Otherwise the next slice, which is later, ends with it. */
  #passMoved(unit: number): void {
    const client = this.#client
    if (!client.isRunning || !this.#pending.has(unit)) return
    if (this.core.words[EXPIRATIONS + client.next] !== unit) return
    client.next++
    client.totals.skipped++
  }

  /** Whether a record has a timer, and the tool has none for it. */
  #isWaiting(unit: number): boolean {
    return this.#client.isPending(unit) && !this.#pending.has(unit)
  }

  #isDue(unit: number): boolean {
    const now = this.now()
    this.closeEpoch(this.#client, now)
    return this.#isWaiting(unit) && dueOf(this.#client, unit, now) <= Math.floor(now)
  }
}
