/**
 * Drives a wheel by the timers of a test tool while the tool fakes them, else by those of the host: `timeout-wheel/testing` puts this
 * instead of the other drivers. One timer of the tool wakes the wheel when its next timer is due. Each operation ends with a look whether
 * that is another timer now, because the tool can move its clock before any microtask runs. So the tool comes to each due time, and its
 * clock shows that time.
 *
 * A tool forgets its timers when it ends, and when it is told to. The timers that were set since it began are cancelled then,
 * as its own are; maps and groups outlive a test, so theirs stay. No tool tells us. So each operation begins with a look for that. An
 * operation on a timer has read its record before. So the look leaves that timer to the operation: one that moves it sets it anew.
 */

import { FOREVER, MAX_TIMEOUT } from '../common/constants.js'
import { CLEAR } from '../common/symbols.js'
import type { Core } from '../memory/core.js'
// biome-ignore format: a list of words
import {
  ARMED, HELD, KEEPS_LOOP_ALIVE, REFERENCED, RETAINED, UNFINISHED, UNREFERENCED, WAKE,
} from '../memory/layout.js'
import { Backend, expireAt, heldOf } from './drivers/backend.js'
import type { Host, HostTimer } from './host/node-host.js'
import type { Source } from './host/present-source.js'
import { end } from './scheduler/ending.js'
import { FAR } from './scheduler/far-deadlines.js'
import { dueOf } from './scheduler/refreshes.js'
import type { Scheduler } from './scheduler/scheduler.js'
import { type Handle, isGroup, type TimerTarget } from './scheduler/timer-target.js'

/** How often the host looks whether a tool has ended, in milliseconds, if timers from before the tool are pending. */
const PATIENCE = 50

/** A timer of the tool or of the host. */
interface Alarm {
  readonly source: Source
  readonly timer: HostTimer
  /** When the wheel's next timer is due, in ticks. */
  readonly due: number
}

export class FollowingBackend extends Backend {
  /** So maps read the time in each call. */
  override readonly virtual = this
  readonly #client: Scheduler
  readonly #presentSource: () => Source
  #source: Source
  /** What to add to a reading of the source. */
  #offset: number
  #last = 0
  /** The tool of the source at the last look. */
  #tool: object | undefined
  /** The timers that go on when the tool has ended, by unit: they were pending when it began. */
  #lasting = new Map<number, TimerTarget | undefined>()
  #alarm: Alarm | undefined
  /** The host's timer that was set when the tool began. */
  #real: Alarm | undefined
  /** Whether an operation is under way, and whether due timers are running. */
  #isBusy = false
  #isInSlice = false
  /** Timers run up to this tick, if the tool has moved its clock further. */
  #limit = FOREVER

  constructor(core: Core, host: Host, client: Scheduler, presentSource: () => Source) {
    super(core)
    this.#client = client
    this.#presentSource = presentSource
    this.#source = presentSource()
    this.#tool = this.#source.tool
    this.#offset = -this.#source.now()
    Object.assign(client, this.#hooksOf(client, host))
    // Every count of the pending timers reads it.
    const get = () => {
      this.#look()
      return core.words[REFERENCED]! + core.words[UNREFERENCED]!
    }
    Object.defineProperty(client, 'records', { get })
  }

  #hooksOf(client: Scheduler, host: Host): Partial<Scheduler> {
    const { schedule, scheduleId, scheduleNextRun, setDeadline, cancel, stamp } = client
    const { reference, unreference, restoreViews } = client
    const isInTool = () => this.#source.tool !== undefined
    return {
      host: {
        ...host,
        now: () => this.#read(),
        // Timers of one time run in one timer of the tool. It runs microtasks after that, as after its own timers.
        get drain() {
          return isInTool() ? undefined : host.drain
        },
        // The tool gets the errors of callbacks.
        reportsErrors: () => !isInTool() && host.reportsErrors(),
      },
      now: () => Math.min(this.now(), this.#limit),
      // An id is looked up, and a slice goes on, after a call of it.
      restoreViews: () => {
        this.#look()
        restoreViews.call(client)
      },
      reference: () => this.#withoutLook(() => reference.call(client)),
      unreference: () => this.#withoutLook(() => unreference.call(client)),
      schedule: (unit, ...all) => this.#operate(() => schedule.call(client, unit, ...all), unit),
      setDeadline: (unit, ...all) => this.#operate(() => setDeadline.call(client, unit, ...all), unit),
      scheduleId: (...all) => this.#operate(() => scheduleId.apply(client, all)),
      scheduleNextRun: (interval, ...all) => {
        this.#look()
        if (interval.keepsRoom) return this.#operate(() => scheduleNextRun.call(client, interval, ...all))
        // Its callback has ended the tool in which it was set.
        if (client.keptUnit !== 0) client.freeKeptRecord()
        return 0
      },
      cancel: (unit, ...all) => this.#operate(() => cancel.call(client, unit, ...all), unit),
      // At once, so that the core knows the time.
      refresh: (handle) => {
        this.#look()
        const { _unit, _ms } = handle as Handle & { _unit: number }
        if (_unit !== 0) client.schedule(_unit, undefined, _ms)
      },
      stamp: () => this.#operate(() => stamp.call(client)),
    }
  }

  /** @param unit the record of the timer that the operation moves or ends */
  #operate<R>(operation: () => R, unit?: number): R {
    if (this.#isBusy) return operation()
    this.#look(unit)
    try {
      return this.#withoutLook(operation)
    } finally {
      this.#arm()
    }
  }

  #withoutLook<R>(operation: () => R): R {
    const wasBusy = this.#isBusy
    this.#isBusy = true
    try {
      return operation()
    } finally {
      this.#isBusy = wasBusy
    }
  }

  /** Milliseconds since the wheel was opened, for maps. */
  get time(): number {
    this.#look()
    return this.#read()
  }

  /** Never goes back. */
  #read(): number {
    const source = this.#presentSource()
    const former = this.#source
    if (source.tool !== former.tool) {
      if (former.tool === undefined) this.#last = Math.max(this.#last, former.now() + this.#offset)
      // A tool counts whole milliseconds. So the clock shows whole ones with it, and its timers are not late by a part of one.
      this.#offset = Math.ceil(this.#last) - source.now()
    }
    this.#source = source
    const time = source.now()
    // The time of day can be set back.
    this.#offset = Math.max(this.#offset, this.#last - time)
    this.#last = time + this.#offset
    return this.#last
  }

  now(): number {
    const { unitsPerMs, unitsPerTick } = this.#client
    const ms = this.#read()
    // Microseconds are whole: see common/ticks.ts.
    return (unitsPerMs === 1 ? ms : Math.floor(ms * unitsPerMs + 2 ** -10)) / unitsPerTick
  }

  override expire(advanced: number): number {
    return expireAt(this.core, advanced, Math.min(this.now(), this.#limit))
  }

  hold(held: number): void {
    this.core.words[HELD] = held
    if (held === KEEPS_LOOP_ALIVE) this.#alarm?.timer.ref?.()
    else this.#alarm?.timer.unref?.()
  }

  idle(): void {
    this.hold(RETAINED)
  }

  close(): void {
    this.#clear(this.#alarm)
    this.#clear(this.#real)
  }

  #set(source: Source, delay: number, due: number): Alarm {
    const ring = () => this.#ring(alarm)
    const timer = this.#client.host.outside(() => source.timers.setTimeout(ring, delay))
    const alarm: Alarm = { source, timer, due }
    return alarm
  }

  /** A tool that has ended is not called: `node:test` would clear another timer. */
  #clear(alarm: Alarm | undefined): void {
    const { tool, timers } = alarm?.source ?? {}
    if (tool === undefined || tool === this.#source.tool) timers?.clearTimeout(alarm!.timer)
  }

  /** Notices whether a tool has begun, has ended or has dropped its timers, and cancels those but the timer of `kept`. */
  #look(kept?: number): void {
    const client = this.#client
    if (this.#isBusy || client.stopped) return
    this.#read()
    const { tool } = this.#source
    const former = this.#tool
    if (tool === former) return
    this.#tool = tool
    if (former !== undefined) this.#withoutLook(() => this.#drop(kept))
    this.#lasting = new Map(Array.from(client.pendingUnits(), (unit) => [unit, client.targetOf(unit)]))
    if (former === undefined) this.#real = this.#alarm
    else this.#clear(this.#alarm)
    this.#alarm = undefined
    if (tool === undefined) {
      this.#clear(this.#real)
      this.#real = undefined
    }
    this.#arm()
  }

  /** Cancels the timers that were set since the former tool began. */
  #drop(kept: number | undefined): void {
    const client = this.#client
    for (const unit of client.pendingUnits()) {
      if (unit === kept) continue
      const target = client.targetOf(unit)!
      const isOfMany = typeof target === 'object' && (target.isHidden || isGroup(target))
      if (!isOfMany && this.#lasting.get(unit) !== target) end(client, unit, target)
    }
    const running = client.runningInterval
    if (running?.keepsRoom && this.#lasting.get(client.keptUnit) !== running) running[CLEAR] = true
  }

  /** Sets the alarm for the next timer. */
  #arm(): void {
    const client = this.#client
    if (this.#isInSlice || client.stopped) return
    const now = client.settledNow()
    const { words } = this.core
    const tick = Math.floor(now)
    let due = FOREVER
    if (client.isRunning || words[UNFINISHED] !== 0) due = tick
    // The core knows far timers by their stages.
    else if ((client.mode & FAR) !== 0)
      for (const unit of client.pendingUnits()) due = Math.min(due, dueOf(client, unit))
    else {
      // A look at the last tick, where nothing is left: the core passes timers that were cancelled or moved, and finds the next one.
      this.core.advance(client.advanced)
      if (words[ARMED] !== 0) due = client.unwrap(words[WAKE]!)
    }
    if (due !== this.#alarm?.due) {
      this.#clear(this.#alarm)
      const ms = ((due - now) * client.unitsPerTick) / client.unitsPerMs
      // Rounded up, but not because of the last digits of a quotient.
      const delay = Math.max(Math.ceil(ms - 2 ** -10), this.#source.isAhead ? -FOREVER : 0)
      this.#alarm = due < FOREVER ? this.#set(this.#source, Math.min(delay, MAX_TIMEOUT), due) : undefined
    }
    this.hold(heldOf(words))
  }

  #ring(alarm: Alarm): void {
    this.#look()
    if (alarm === this.#real) this.#real = this.#set(alarm.source, PATIENCE, FOREVER)
    if (alarm !== this.#alarm) return
    this.#alarm = undefined
    const client = this.#client
    if (alarm.source.isAhead) this.#limit = alarm.due
    this.#isInSlice = true
    try {
      let hasMore = true
      while (hasMore) hasMore = client.dispatch() && alarm.source.tool !== undefined
    } finally {
      this.#isInSlice = false
      this.#limit = FOREVER
      this.#arm()
    }
  }
}
