/**
 * Drives a wheel by the timers of a test tool while the tool fakes them, else by those of the host. `timeout-wheel/testing` uses this
 * driver instead of the others. One timer, the alarm, wakes the wheel when its next timer is due. It is set anew after each operation,
 * because the tool can move its clock before any microtask runs.
 *
 * A tool forgets its timers when it ends, and when it is told to. Then this driver cancels the timers that were set since the tool began,
 * except those of maps and groups, which outlive a test. No tool reports this, so each use of the wheel first looks whether it happened.
 */
import { FOREVER, MAX_TIMEOUT } from '../../common/constants.js'
import { isNodeMock } from '../../common/patch-globals.js'
import type { Kernel } from '../../kernel/kernel.js'
import { unitsOf } from '../../kernel/units.js'
import type { Core, OpenCore } from '../../memory/core.js'
import { REFERENCED } from '../../memory/layout.js'
import { cancelUnit } from '../../wheel/ends.js'
import { shownOf } from '../../wheel/looks.js'
import type { Host, HostTimer } from '../host/node-host.js'
import type { Client } from '../host/platform.js'
import { singleton } from '../host/singletons.js'

/** The clock and the timers of the moment: those of a test tool while it fakes `setTimeout`, else those of the host. */
interface Source {
  /** Another object if another tool has begun, or if the tool has dropped its timers. Undefined: time is the host's. */
  readonly tool?: object
  /** The tool moves its clock to the end of a longer time before it runs the timers within, and takes negative delays: `node:test`. */
  readonly isAhead?: boolean
  /** Milliseconds. */
  now(): number
}

/** Each of these functions of a kernel first looks whether the tool has changed. `_end` looks afterwards: the look could end the same timer. */
// biome-ignore format: a list of words
const USES = ['_set', '_move', '_moveTo', '_checkRoom', '_settle', '_dueOf', '_pending', '_unitOf', '_isRunning'] as const
/** How often the host looks whether a tool has ended, in milliseconds, if timers from before the tool are pending. */
const POLL_EVERY = 50
/** With a tool, the clock shows the end of each millisecond. So no timer of the tool waits in its tick for one from before the tool. */
const PHASE = 1 - 2 ** -12

/** @param tick the length of a tick in milliseconds */
export function followTestTools(openCore: OpenCore, host: Host, tick: number, client: Client): Core {
  let kernel: Kernel
  let source = presentSource(host)
  /** The last reading of the clock, and what to add to a reading of the source. */
  let time = PHASE
  let offset = PHASE - source.now()
  /** The numbers of the timers that outlive the tool: they were pending when it began. */
  let lasting = new Set<number>()
  let alarm: HostTimer | undefined
  let alarmDue = FOREVER
  let poll: HostTimer | undefined
  /** Due timers are running. The alarm is set afterwards. */
  let isBusy = false

  const core = openCore(tick, { _now: read, _applies: arm, _hold: arm, _release: arm, _close: arm })
  client.opened = (opened) => {
    kernel = opened
    // So with a tool, the programs and maps see whole milliseconds.
    kernel._origin = PHASE
    kernel._isFaked = true
    for (const name of USES) {
      const use = kernel[name] as (...all: unknown[]) => unknown
      Reflect.set(kernel, name, (...all: unknown[]) => {
        read()
        return use(...all)
      })
    }
    const { _end: end } = kernel
    kernel._end = (...all) => {
      end(...all)
      arm()
    }
  }
  // The tool runs microtasks after its timers. It gets the errors of callbacks.
  client.drain = () => {
    if (source.tool === undefined) host.drain?.()
    read()
  }
  client.catchesErrors = () => source.tool === undefined && host.handlesErrors()
  return core

  /** Reads the clock, which never goes back, and looks for another tool. */
  function read(): number {
    const present = presentSource(host)
    if (present.tool !== source.tool) change(present)
    // The time of day can be set back.
    offset = Math.max(offset, time - source.now())
    time = Math.max(time, Math.min(source.now() + offset, source.isAhead ? alarmDue : FOREVER))
    return time
  }

  /** A tool has begun, has ended or has dropped its timers. */
  function change(present: Source): void {
    const { tool, now } = source
    source = present
    if (tool === undefined) {
      time = now() + offset
      host.clearTimeout(alarm)
      host.clearTimeout(poll)
    }
    // A tool that has ended is not called: `node:test` would clear another timer.
    alarm = undefined
    alarmDue = FOREVER
    offset = Math.ceil(time - PHASE) + PHASE - source.now()
    if (tool === undefined) {
      lasting = new Set(unitsOf(kernel).map(kernel._numberOf))
      pollTool()
    } else {
      for (const unit of unitsOf(kernel)) {
        const isOfMany = kernel._ownerOf(unit) !== undefined || shownOf(kernel, unit) === undefined
        if (!isOfMany && !lasting.has(kernel._numberOf(unit))) cancelUnit(kernel, unit)
      }
    }
    arm()
  }

  /** Lets the host look again later whether the tool has ended, while timers from before it are pending. */
  function pollTool(): void {
    read()
    const left = [...lasting].map(kernel._unitOf).filter((unit) => unit !== 0)
    if (source.tool === undefined || left.length === 0) return
    poll = host.outside(host.setTimeout, pollTool, POLL_EVERY)
    if (!left.some((unit) => shownOf(kernel, unit)?.hasRef)) poll.unref?.()
  }

  /** Sets the alarm for the next timer. */
  function arm(): void {
    let due = FOREVER
    if (!kernel._stopped && kernel._taken() > 0) {
      // Each operation ends a turn, so the next one is applied at once too.
      due = core._endTurn()
      // Only a pass drops timers that have ended. So this one finds nothing due, and then the core knows the next timer.
      if (!isBusy && due > time && !kernel._hasDue()) core._expire()
      due = kernel._hasDue() ? time : core._endTurn()
    }
    if (isBusy) return
    const timers = source.tool === undefined ? host : (globalThis as unknown as Host)
    if (due !== alarmDue || alarm === undefined) {
      if (alarm !== undefined) timers.clearTimeout(alarm)
      const left = Math.ceil(due - source.now() - offset)
      const delay = Math.min(source.isAhead ? left : Math.max(left, 0), MAX_TIMEOUT)
      alarm = due < FOREVER ? host.outside(timers.setTimeout, () => ring(due), delay) : undefined
      alarmDue = due
    }
    alarm?.[core.words[REFERENCED]! > 0 ? 'ref' : 'unref']?.()
  }

  function ring(due: number): void {
    read()
    // The alarm of a tool that has ended.
    if (due !== alarmDue) return
    alarm = undefined
    isBusy = true
    try {
      if (!kernel._hasDue()) core._expire()
      for (let hasRest = true; hasRest; ) {
        const started = read()
        hasRest = client.dispatch() && source.tool !== undefined
        client.ended(read() - started)
      }
    } finally {
      isBusy = false
      arm()
    }
  }
}

/** The clock of `@sinonjs/fake-timers`, which Jest, Vitest and sinon use. */
interface FakeClock {
  /** Does not follow `setSystemTime`, which moves no timers. */
  readonly performance: { now(): number }
  /** The names of the functions that it fakes; empty when it has ended. */
  readonly methods?: readonly string[]
  /** Missing before the first timer, and replaced when all are dropped. */
  readonly timers?: object
  setTimeout(callback: () => void, delay: number): unknown
  clearTimeout(timer: unknown): void
}

type Fake = { readonly clock?: FakeClock } | undefined

const NO_DATE =
  'timeout-wheel/testing cannot follow mock.timers of node:test, because it fakes setTimeout without Date. Enable both: ' +
  "mock.timers.enable({ apis: ['setTimeout', 'Date'] })"

/** Looks at the globals, because a tool replaces them at any time. */
function presentSource(host: Host): Source {
  const { setTimeout, clearTimeout } = globalThis as unknown as Record<string, Fake>
  // If a program spies on the fake `setTimeout`, only `clearTimeout` leads to the clock.
  const clock = [setTimeout?.clock, clearTimeout?.clock].find((one) => one?.methods?.includes('setTimeout'))
  if (clock !== undefined) {
    if (clock.timers === undefined) clock.clearTimeout(clock.setTimeout(() => {}, 0))
    return { tool: clock.timers ?? clock, now: clock.performance.now }
  }
  if (isNodeMock(setTimeout)) {
    const { Date: day } = globalThis
    if ('isMock' in day) return { tool: day, isAhead: true, now: day.now }
    singleton('no date', () => host.warn(NO_DATE, 'TimeoutWheelWarning'))
  }
  return { now: host.now }
}
