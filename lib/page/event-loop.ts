/**
 * Drives a wheel by the page's event loop. An alarm at the next deadline wakes the wheel, and its due timers run in steps.
 * The flush, a microtask, takes the submissions once for all timers that a stretch of code has set.
 */
import { FOREVER } from '../common/constants.js'
import { LONGEST_WAIT } from './constants.js'
import type { PageHost } from './host.js'
import { hostAlarm, type OpenAlarm } from './host-alarm.js'
import type { Limits } from './message-tasks.js'
import { openScheduler } from './scheduler.js'
import type { OpenCore, Scheduler } from './scheduler-types.js'

export function drive(
  openCore: OpenCore,
  host: PageHost,
  tick: number,
  _limits: Limits,
  openAlarm: OpenAlarm = hostAlarm,
): Scheduler {
  const origin = host._now()
  /** Due timers are running, step by step. */
  let isRunning = false
  /** Whether a step runs now, and whether a step has requested the flush. */
  let isInStep = false
  let isOfStep = false
  let isFlushing = false
  /** The number of the last wake-up. */
  let lastRun = 0
  const scheduler = openScheduler(
    openCore,
    () => (host._now() - origin) / tick,
    () => {
      if (isFlushing) return
      const flushOnce = (): void => {
        if (isFlushing) flush()
      }
      Promise.resolve().then(flushOnce)
      // A test tool can move its clock before any microtask runs.
      if (host._isFake) host._setTimeout(flushOnce)
      isFlushing = true
      isOfStep = isInStep
    },
    () => host._lag() / tick,
  )

  function flush(): void {
    isFlushing = false
    if (scheduler._stopped) return
    const due = origin + scheduler._nextWake() * tick
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
    setAlarm(host._now())
  }
  const alarm = openAlarm(host, () => {
    const run = ++lastRun
    isRunning = true
    const _step = (): boolean => {
      // This step is late: another wake-up runs instead.
      if (run !== lastRun) return false
      // If a callback throws, the rest is still to be run.
      let more = true
      isInStep = true
      try {
        more = scheduler._step()
      } finally {
        isInStep = false
        isRunning = more && !scheduler._stopped
        if (!isRunning) flush()
      }
      return more
    }
    host._start({ _step, _limits })
  })
  scheduler._close = () => {
    alarm._close()
    host._sleepers.delete(catchUp)
  }
  return scheduler
}
