/**
 * Drives a wheel by the page's event loop: an alarm set for the next deadline wakes it, and what is due runs in steps.
 * Submissions are taken in a microtask, once for all the timers that a stretch of code has set.
 */

import { hostAlarm, type OpenAlarm } from './alarm.js'
import { FOREVER } from './forever.js'
import type { PageHost } from './host.js'
import { type OpenCore, openScheduler, type Scheduler } from './scheduler.js'
import type { Limits, Steps } from './steps.js'

const resolved = Promise.resolve()

/** The first step at once, the others in tasks to come. */
export function stepsOf({ _steps }: PageHost): Steps['_steps'] {
  return (job) => {
    let more = true
    try {
      more = job._step()
    } finally {
      if (more) _steps(job)
    }
  }
}

export function drive(
  openCore: OpenCore,
  host: PageHost,
  tick: number,
  _limits: Limits,
  steps: Steps['_steps'] = stepsOf(host),
  openAlarm: OpenAlarm = hostAlarm,
): Scheduler {
  const origin = host._now()
  /** When the alarm is due, on the host's clock. */
  let alarmDue = FOREVER
  /** What is due is being run, step by step. */
  let isRunning = false
  let isFlushing = false
  const scheduler = openScheduler(
    openCore,
    tick,
    () => host._now() - origin,
    () => {
      if (!isFlushing) resolved.then(flush)
      isFlushing = true
    },
  )

  function flush(): void {
    isFlushing = false
    if (scheduler._stopped) return
    const due = origin + scheduler._nextWake()
    // What is left over has its turn coming, and the last step sets the alarm. One that is due earlier already will do: it
    // finds nothing, and is set again.
    if (!isRunning) setAlarm(due)
  }
  function setAlarm(due: number): void {
    if (due >= alarmDue) return
    alarmDue = due
    host._sleepers.add(catchUp)
    alarm._set(due)
  }
  function _step(): boolean {
    // Until it is known better: a callback that throws leaves the rest to be run.
    let more = true
    try {
      more = scheduler._step()
    } finally {
      isRunning = more && !scheduler._stopped
      if (!isRunning) flush()
    }
    return more
  }
  /** The page comes out of a sleep that its timers may have slept as well: the alarm may be overdue. */
  function catchUp(): void {
    alarmDue = FOREVER
    setAlarm(host._now())
  }
  const alarm = openAlarm(host, () => {
    alarmDue = FOREVER
    host._sleepers.delete(catchUp)
    isRunning = true
    steps({ _step, _limits })
  })
  scheduler._close = () => {
    alarm._close()
    host._sleepers.delete(catchUp)
  }
  return scheduler
}
