/**
 * Drives a wheel by the timers of a test tool while the tool fakes them, else by those of the host. `timeout-wheel/testing` uses this
 * driver instead of the others. One timer of the tool, the alarm, wakes the wheel when its next timer is due. It is set anew after each
 * operation, because the tool can move its clock before any microtask runs. So the clock of the tool shows each due time.
 *
 * A tool forgets its timers when it ends, and when it is told to. Then this driver cancels the timers that were set since the tool began,
 * except those of maps and groups, which outlive a test. No tool reports this, so each use of the wheel first looks whether it happened.
 * The end of a timer looks afterwards, because the look could end the same timer.
 */
import { FOREVER, MAX_TIMEOUT } from '../../common/constants.js'
import type { Kernel } from '../../kernel/kernel.js'
import { unitsOf } from '../../kernel/units.js'
import type { Core, OpenCore } from '../../memory/core.js'
// biome-ignore format: a list of words
import {
  FIRST_BLOCK, HELD, KEEPS_LOOP_ALIVE, NOW, QUEUE_DELAYS, QUEUE_UNITS, QUEUED, REFERENCED, RETAINED,
} from '../../memory/layout.js'
import { cancelUnit } from '../../wheel/ends.js'
import { shownOf } from '../../wheel/looks.js'
import type { Host, HostTimer } from '../host/node-host.js'
import type { Client } from '../host/platform.js'
import type { Source } from '../host/present-source.js'

// biome-ignore format: a list of words
const USES = [
  '_set', '_move', '_moveTo', '_checkRoom', '_settle', '_dueOf', '_pending', '_unitOf',
] as const
const ENDS = ['_end', '_letGo'] as const
/** How often the host looks whether a tool has ended, in milliseconds, if timers from before the tool are pending. */
const PATIENCE = 50
/**
 * A tool counts whole milliseconds. With a tool, the clock of the wheel shows the end of each millisecond. Timers from before the tool are
 * due earlier in a millisecond, so no timer of the tool waits for one of them in its tick.
 */
const PHASE = 1 - 2 ** -10
/** With more timers than this, the alarm can ring for a timer that was cancelled or moved. */
const MANY = 1000

/** A timer of the tool or of the host, and when it is due on the clock of the wheel. */
interface Alarm {
  readonly source: Source
  readonly timer: HostTimer
  readonly due: number
}

/** @param tick the length of a tick in milliseconds */
export function followTestTools(
  openCore: OpenCore,
  host: Host,
  tick: number,
  client: Client,
  presentSource: () => Source,
): Core {
  let kernel: Kernel
  let source = presentSource()
  /** The last reading of the clock, and what to add to a reading of the source. */
  let time = PHASE
  let offset = PHASE - source.now()
  /** The numbers of the timers that outlive the tool: they were pending when it began. */
  let lasting = new Set<number>()
  let alarm: Alarm | undefined
  /** The host's timer that looks whether the tool has ended. */
  let poll: Alarm | undefined
  /** Due timers are running, or a tool has begun or ended. The alarm is set afterwards. */
  let isBusy = false

  const core = openCore(tick, { _now: now, _applied: arm, _hold: hold, _release: hold, _close: close })
  core._readClock = read
  client.opened = (opened) => {
    kernel = opened
    // So with a tool, the programs and maps see whole milliseconds.
    kernel._origin = PHASE
    kernel._isFaked = true
    for (const name of [...USES, ...ENDS]) {
      const use = kernel[name] as (...all: unknown[]) => unknown
      const isEnd = ENDS.includes(name as '_end')
      Reflect.set(kernel, name, (...all: unknown[]) => {
        if (!isEnd) read()
        const result = use(...all)
        if (isEnd) arm()
        return result
      })
    }
  }
  // The tool runs microtasks after its timers. It gets the errors of callbacks.
  client.drain = () => {
    if (source.tool === undefined) host.drain?.()
    read()
  }
  client.reportsErrors = () => source.tool === undefined && host.reportsErrors()
  return core

  /** Reads the clock, which never goes back, and looks for another tool. */
  function read(): number {
    const former = source
    source = presentSource()
    const isOther = source.tool !== former.tool
    if (isOther) {
      const last = former.tool === undefined ? former.now() + offset : time
      offset = Math.ceil(last - PHASE) + PHASE - source.now()
    }
    const reading = source.now()
    // The time of day can be set back.
    offset = Math.max(offset, time - reading)
    time = reading + offset
    if (isOther) change(former)
    return time
  }

  /** The time for the core. While a timer runs, the clock of the tool can be ahead of it: delays count from that clock. */
  function now(): number {
    const present = read()
    const { words, reals } = core
    if (present > kernel._latest && words[QUEUED] !== 0 && words[QUEUE_UNITS]! > 0) {
      words[QUEUE_UNITS] = ~words[QUEUE_UNITS]!
      reals[QUEUE_DELAYS >> 1]! += present
    }
    return Math.min(present, kernel._latest)
  }

  /** A tool has begun, has ended or has dropped its timers. */
  function change(former: Source): void {
    const wasBusy = isBusy
    isBusy = true
    kernel._latest = FOREVER
    clear(alarm)
    alarm = undefined
    try {
      if (former.tool !== undefined) drop()
      else {
        lasting = new Set(unitsOf(kernel).map(kernel._numberOf))
        wait(former)
      }
    } finally {
      isBusy = wasBusy
    }
    arm()
  }

  /** Cancels the timers of the tool, but not those of maps and groups. */
  function drop(): void {
    if (source.tool === undefined) clear(poll)
    for (const unit of unitsOf(kernel)) {
      const isOfMany = kernel._ownerOf(unit) !== undefined || shownOf(kernel, unit) === undefined
      if (!isOfMany && !lasting.has(kernel._numberOf(unit))) cancelUnit(kernel, unit)
    }
  }

  /** Lets the host look again later, if timers from before the tool are pending. */
  function wait(real: Source): void {
    const left = unitsOf(kernel).filter((unit) => lasting.has(kernel._numberOf(unit)))
    poll = left.length > 0 ? set(real, PATIENCE, FOREVER) : undefined
    if (!left.some((unit) => shownOf(kernel, unit)?.hasRef)) poll?.timer.unref?.()
  }

  function set(from: Source, delay: number, due: number): Alarm {
    const timer = host.outside(() => from.timers.setTimeout(() => ring(made), delay))
    const made: Alarm = { source: from, timer, due }
    return made
  }

  /** A tool that has ended is not called: `node:test` would clear another timer. */
  function clear(former: Alarm | undefined): void {
    const { tool, timers } = former?.source ?? {}
    if (tool === undefined || tool === source.tool) timers?.clearTimeout(former!.timer)
  }

  /** Sets the alarm for the next timer. */
  function arm(): void {
    if (kernel._stopped) return
    // Each operation ends a turn, so the next one is applied at once too.
    const wake = core._endTurn()
    if (isBusy) return
    const due = kernel._hasDue() ? time : Math.max(wake, firstDue())
    if (due !== alarm?.due) {
      clear(alarm)
      const delay = Math.max(Math.ceil(due - time), source.isAhead ? -FOREVER : 0)
      alarm = due < FOREVER ? set(source, Math.min(delay, MAX_TIMEOUT), due) : undefined
    }
    hold()
  }

  /** A time before which no timer is due. The wheel also wakes for timers that were cancelled or moved: the tool must not. */
  function firstDue(): number {
    const count = kernel._taken()
    if (count === 0) return FOREVER
    if (source.tool === undefined || count > MANY) return 0
    let due = FOREVER
    for (const unit of unitsOf(kernel)) due = Math.min(due, core.reals[(FIRST_BLOCK >> 1) + (unit << 1)]!)
    return due
  }

  function hold(): void {
    const isHeld = core.words[REFERENCED]! > 0
    core.words[HELD] = isHeld ? KEEPS_LOOP_ALIVE : RETAINED
    alarm?.timer[isHeld ? 'ref' : 'unref']?.()
  }

  function close(): void {
    clear(alarm)
    clear(poll)
  }

  function ring(rung: Alarm): void {
    read()
    if (rung === poll) return wait(rung.source)
    if (rung !== alarm) return
    alarm = undefined
    const { tool, isAhead } = rung.source
    isBusy = true
    try {
      if (isAhead) kernel._latest = rung.due
      if (!kernel._hasDue()) core._expire()
      // The first slice begins at the time that the clock shows.
      core.reals[NOW] = time
      while (client.dispatch() && tool !== undefined);
    } finally {
      isBusy = false
      kernel._latest = FOREVER
      arm()
    }
  }
}
