/** What wakes a wheel at a time. */
import { FOREVER } from '../forever.js'
import type { HostTimer, PageHost } from '../host.js'

export interface Alarm {
  /**
   * Wakes at `due`, on the host's clock, in milliseconds; no longer when it was to before. Infinity: never. Told so again
   * after each turn that used the wheel, for the host may have lost the timer: a page can clear all that it has.
   */
  _set(due: number): void
  /** Never wakes again. */
  _close(): void
}

export type OpenAlarm = (host: PageHost, wake: () => void) => Alarm

/** The longest delay that a page's own timers take, in milliseconds. */
export const MAX_TIMEOUT = 2 ** 31 - 1

/** The least delay of a timer that is nested in others, in milliseconds. */
const NESTED_TIMEOUT = 4

/**
 * One timer of the page.
 *
 * Pages count how deeply timers are nested, each set by the callback of the one before; from the fifth on they make them
 * wait at least 4 ms, and a minute in a hidden page. A timer that is set from a message is nested in none: so is each to
 * which that matters, from the message that has run the last step, or from one of its own.
 */
export const hostAlarm: OpenAlarm = (host, wake) => {
  let timer: HostTimer | undefined
  let alarmDue = FOREVER
  let isAsked = false

  const fire = (): void => {
    alarmDue = FOREVER
    wake()
  }
  /** @param isTask it is called in a task of its own, which what is due already need not wait for */
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
      if (!host._nests || host._isInTask() || (due - host._now() >= NESTED_TIMEOUT && !host._isHidden())) {
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
