/**
 * Drives a wheel by the page's event loop: an alarm set for the next deadline wakes it, and what is due runs in steps.
 * Submissions are taken in a microtask, once for all the timers that a stretch of code has set.
 */

import { FOREVER } from '../forever.js'
import type { PageHost } from '../host.js'
import { type OpenCore, openScheduler, type Scheduler } from '../scheduler.js'
import { hostAlarm, type OpenAlarm } from './host-alarm.js'
import type { Limits, Steps } from './message-tasks.js'

/** Milliseconds for which an empty wheel keeps the memory that it has taken. */
const KEPT = 10_000
/** Milliseconds after which a turn that was asked for counts as lost. */
const LONGEST_WAIT = 1000

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
  /** What is due is being run, step by step. */
  let isRunning = false
  /** A step runs at this moment, and has asked for the flush. */
  let isInStep = false
  let isOfStep = false
  let isFlushing = false
  /** When the wheel gives memory back, on the host's clock. */
  let trimDue = FOREVER
  /** The number of the last wake-up. */
  let lastRun = 0
  const scheduler = openScheduler(
    openCore,
    tick,
    () => host._now() - origin,
    () => {
      if (isFlushing) return
      Promise.resolve().then(() => {
        if (isFlushing) flush()
      })
      isFlushing = true
      isOfStep = isInStep
    },
  )

  function flush(): void {
    isFlushing = false
    if (scheduler._stopped) return
    let due = origin + scheduler._nextWake()
    if (scheduler._isSpare()) {
      const now = host._now()
      // Nothing else is due.
      due = trimDue = Math.min(trimDue, now + KEPT)
      if (now >= due) {
        // Anew, if there is no memory for it.
        trimDue = FOREVER
        scheduler._trim()
      }
    } else trimDue = FOREVER
    // What is left over has its turn coming, and the last step sets the alarm. But that turn can be lost, like any task of
    // a frame or a request that ends.
    if (!isRunning) setAlarm(due)
    else if (!isOfStep && !host._isInTask()) setAlarm(host._now() + LONGEST_WAIT)
  }
  function setAlarm(due: number): void {
    alarm._set(due)
    if (due < FOREVER) host._sleepers.add(catchUp)
    else host._sleepers.delete(catchUp)
  }
  /** The page comes out of a sleep that its timers may have slept as well: the alarm may be overdue. */
  function catchUp(): void {
    setAlarm(host._now())
  }
  const alarm = openAlarm(host, () => {
    const run = ++lastRun
    isRunning = true
    const _step = (): boolean => {
      // Another wake-up has taken over, for this step came late.
      if (run !== lastRun) return false
      // Until it is known better: a callback that throws leaves the rest to be run.
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
    steps({ _step, _limits })
  })
  scheduler._close = () => {
    alarm._close()
    host._sleepers.delete(catchUp)
  }
  return scheduler
}
