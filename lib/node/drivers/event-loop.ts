/**
 * Drives a wheel on WebAssembly, which has no timer of its own, by the host's event loop. A timer of the host, the alarm, wakes the wheel
 * when it is needed next. Its due timers then run in slices, one in each turn. While nothing is pending, there is no alarm.
 *
 * The flush, a microtask, ends the turn for the wheel: it carries out what is queued, and sets the alarm.
 *
 * All functions are in one closure, not in a class: a wake-up runs cold code, and V8 interprets a variable faster than a private field.
 */
import { FOREVER, MAX_TIMEOUT } from '../../common/constants.js'
import type { Core, OpenCore } from '../../memory/core.js'
import { HELD, IN_SLICE, KEEPS_LOOP_ALIVE, REFERENCED, RETAINED, UNREFERENCED } from '../../memory/layout.js'
import type { Host, HostTimer } from '../host/node-host.js'
import type { Client } from '../host/platform.js'

const resolved = Promise.resolve()

export function openEventLoop(openCore: OpenCore, host: Host, tick: number, client: Client): Core {
  /** The last reading of the clock by the core. */
  let time = 0
  let alarm: HostTimer | undefined
  /** When the alarm is due. */
  let alarmDue = FOREVER
  /** The coming turn, which runs a slice. */
  let turn: HostTimer | undefined
  /** The last slice has left due timers. */
  let hasRest = false
  /** A slice is running. It ends with a flush of all that its callbacks and their microtasks set. */
  let isInSlice = false
  let isFlushRequested = false
  /** Whether the alarm and the coming turn keep the program alive. */
  let isHeld = true // As those of Node when they are set.
  let isClosed = false

  const core = openCore(tick, {
    _now() {
      time = host.now()
      return time
    },
    _applies: flushLater,
    /** At once, so that the kernel does not call again. The flush writes whether a timer has a reference. */
    _hold() {
      flushLater()
      core.words[HELD] = KEEPS_LOOP_ALIVE
    },
    /** The flush releases the event loop, because code that sets and clears in a loop must not call the host each time. */
    _release: flushLater,
    /** The coming turn sees that the wheel is closed. In a microtask: Node loses timers of the program if a `vm` time limit ends its `clearTimeout`. */
    _close() {
      isClosed = true
      resolved.then(clearAlarm)
    },
  })
  return core

  function flushLater(): void {
    if (isInSlice || isFlushRequested) return
    resolved.then(flush)
    isFlushRequested = true
  }

  function flush(): void {
    isFlushRequested = false
    endTurn()
  }

  /** Carries out what is queued, and makes sure that the wheel is woken for it. */
  function endTurn(): void {
    if (isClosed) return
    const { words } = core
    const wake = core._endTurn()
    // Undefined: the growth of the memory was interrupted. The next slice takes the new views.
    const isReferenced = words[REFERENCED] !== 0
    const held = isReferenced ? KEEPS_LOOP_ALIVE : words[UNREFERENCED]! > 0 ? RETAINED : 0
    words[HELD] = held
    if (isReferenced !== isHeld) setHeld(isReferenced)
    if (held === 0) clearAlarm()
    else if (hasRest || wake <= time) requestTurn()
    // An earlier alarm stays: it finds nothing due, and is set again.
    else if (wake < alarmDue) setAlarm(wake)
  }

  /** @param wake after `time`, because Node warns of a negative delay */
  function setAlarm(wake: number): void {
    if (alarm !== undefined) clearAlarm()
    // Of the delay, because Node warns of one that is too long. The sum below can be rounded.
    alarm = host.outside(host.setTimeout, onAlarm, Math.min(Math.ceil(wake - time), MAX_TIMEOUT))
    alarmDue = Math.min(wake, time + MAX_TIMEOUT)
    if (!isHeld) alarm.unref?.()
  }

  function clearAlarm(): void {
    if (alarm !== undefined) host.clearTimeout(alarm)
    alarm = undefined
    alarmDue = FOREVER
  }

  /** Requests a slice in the next turn: something is due already, or left of the last slice. */
  function requestTurn(): void {
    if (turn !== undefined) return
    turn = host.outside(host.soon, onTurn)
    if (!isHeld) turn.unref?.()
  }

  function setHeld(isReferenced: boolean): void {
    isHeld = isReferenced
    for (const timer of [alarm, turn]) {
      if (isReferenced) timer?.ref?.()
      else timer?.unref?.()
    }
  }

  // The host calls these two functions, and each calls `dispatch` itself: V8 keeps a fixed number of stack frames, and a
  // frame below `dispatch` takes the place of one of the program's.

  function onAlarm(): void {
    alarm = undefined
    alarmDue = FOREVER
    // The rest of the last slice runs in the coming turn.
    if (isClosed || turn !== undefined) return
    const started = beginSlice()
    try {
      hasRest = client.dispatch()
    } finally {
      endSlice(started)
    }
  }

  function onTurn(): void {
    turn = undefined
    if (isClosed) return
    const started = beginSlice()
    try {
      hasRest = client.dispatch()
    } finally {
      endSlice(started)
    }
  }

  /** Returns the present time. */
  function beginSlice(): number {
    isInSlice = true
    core.words[IN_SLICE] = 1
    if (hasRest) return host.now()
    core._expire()
    // If a callback throws, the rest is still to be run.
    hasRest = true
    return time
  }

  function endSlice(started: number): void {
    isInSlice = false
    core.words[IN_SLICE] = 0
    client.ended(host.now() - started)
    endTurn()
  }
}
