/**
 * Drives a wheel by the page's event loop. An alarm at the next due time wakes the wheel, and its due timers run in steps.
 * The flush, a microtask, is the end of a turn: it carries out what a stretch of code has queued, and sets the alarm.
 */
import { FOREVER } from '../common/constants.js'
import { type Kernel, type KernelOptions, openKernel } from '../kernel/kernel.js'
import type { OpenCore } from '../memory/core.js'
import { HELD, KEEPS_LOOP_ALIVE } from '../memory/layout.js'
import type { Limits } from '../wheel/wheel.js'
import { LONGEST_WAIT } from './constants.js'
import type { PageHost } from './host.js'
import { hostAlarm, type OpenAlarm } from './host-alarm.js'

export function drive(
  openCore: OpenCore,
  host: PageHost,
  options: KernelOptions,
  _limits: Limits,
  openAlarm: OpenAlarm = hostAlarm,
): Kernel {
  /** Due timers are running, step by step. */
  let isRunning = false
  /** Whether a step runs now, and whether a step has requested the flush. */
  let isInStep = false
  let isOfStep = false
  let isFlushing = false
  /** The number of the last wake-up. */
  let lastRun = 0
  const requestFlush = (): void => {
    if (isFlushing) return
    const flushOnce = (): void => {
      if (isFlushing) flush()
    }
    Promise.resolve().then(flushOnce)
    // A test tool can move its clock before any microtask runs.
    if (host._isFake) host._setTimeout(flushOnce)
    isFlushing = true
    isOfStep = isInStep
  }
  const core = openCore(options.tick, {
    _now: host._now,
    _applies: requestFlush,
    _hold: requestFlush,
    // The last timer has ended, so the alarm ends too.
    _release: requestFlush,
    _close() {
      alarm._close()
      host._sleepers.delete(catchUp)
    },
  })
  // Nothing keeps a page alive, so `_hold` is never called.
  core.words[HELD] = KEEPS_LOOP_ALIVE
  const kernel = openKernel(core, options)

  function flush(): void {
    isFlushing = false
    if (kernel._stopped) return
    kernel._mend()
    const wake = core._endTurn()
    // Without timers the core can still ask for a wake-up, because it has entries of timers that were cancelled.
    const due = kernel._taken() ? wake + host._lag() : FOREVER
    // The rest runs in a coming turn, and the last step sets the alarm. But that turn can be lost, like every task of a
    // frame or a request that ends.
    if (!isRunning) setAlarm(due)
    else if (!isOfStep && !host._isInTask()) setAlarm(host._now() + LONGEST_WAIT)
  }
  function setAlarm(due: number): void {
    alarm._set(due)
    if (due < FOREVER) host._sleepers.add(catchUp)
    else host._sleepers.delete(catchUp)
  }
  /** Called when the page wakes from a sleep. Its timers can have stopped, so the alarm can be overdue. */
  function catchUp(): void {
    // Before any time for which an alarm is set, because an alarm can keep an earlier time.
    setAlarm(0)
  }
  const alarm = openAlarm(host, () => {
    const run = ++lastRun
    isRunning = true
    const _step = (): boolean => {
      // If this step is late, another wake-up runs instead.
      if (run !== lastRun || kernel._stopped) return false
      // If a callback throws, the rest is still to be run.
      let more = true
      isInStep = true
      try {
        if (!kernel._hasDue()) core._expire(host._lag())
        more = kernel._step()
      } finally {
        isInStep = false
        isRunning = more && !kernel._stopped
        if (!isRunning) flush()
      }
      return more
    }
    host._start({ _step, _limits })
  })
  return kernel
}
