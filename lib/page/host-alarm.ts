/** Wakes a wheel at a given time, by the page's own timers. */
import { FOREVER, MAX_TIMEOUT } from '../common/constants.js'
import { NESTED_TIMEOUT } from './constants.js'
import type { HostTimer, PageHost } from './host.js'

export interface Alarm {
  /**
   * Sets the time of the alarm to `due`, in milliseconds on the host's clock, instead of any former time. Infinity: never.
   * Called after each turn that used the wheel, because a page can clear all its timers, and so this one.
   */
  _set(due: number): void
  /** Ends the alarm. */
  _close(): void
}

export type OpenAlarm = (host: PageHost, wake: () => void) => Alarm

/**
 * Opens an alarm that uses one timer of the page at a time.
 *
 * A timer that the callback of another timer sets is nested. From the fifth level on, a page makes nested timers wait for at
 * least 4 ms, and for a minute while it is hidden. A timer that is set from a message is not nested. So if the wait matters,
 * the timer is set from a message: from the one that has run the last step, or from a new one.
 */
export const hostAlarm: OpenAlarm = (host, wake) => {
  let timer: HostTimer | undefined
  let alarmDue = FOREVER
  let isAsked = false

  const fire = (): void => {
    alarmDue = FOREVER
    wake()
  }
  /** @param isTask whether it runs in its own task. Then an alarm that is due fires at once */
  const start = (isTask?: boolean): void => {
    host._clearTimeout(timer)
    const left = alarmDue - host._now()
    if (isTask && left <= 0) fire()
    else if (left < FOREVER) {
      timer = host._setTimeout(fire, Math.min(Math.max(Math.ceil(left), 0), MAX_TIMEOUT))
    }
  }
  return {
    _set(due) {
      alarmDue = due
      if (!host._nests() || host._isInTask() || (due - host._now() >= NESTED_TIMEOUT && !host._isHidden())) {
        start()
      } else if (!isAsked) {
        host._soon(() => {
          isAsked = false
          start(true)
        })
        isAsked = true
      }
    },
    _close() {
      alarmDue = FOREVER
      host._clearTimeout(timer)
    },
  }
}
