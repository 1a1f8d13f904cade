import timerWheel from 'timer-wheel'

/** @import { Timers } from './index.mjs' */

const { ActionTimerWheel } = timerWheel

/** Milliseconds. The finest slot lasts 1,024 ms, so that more frequent advances gain little. */
const ADVANCE_EVERY = 250

/**
 * A timing wheel in JavaScript that its user advances. Here an interval advances it four times a slot. An entry cannot be
 * rescheduled, so a refresh removes it and makes a new one.
 *
 * @returns {Timers}
 */
export const handles = () => {
  const wheel = new ActionTimerWheel()
  setInterval(() => wheel.advance(), ADVANCE_EVERY).unref()
  return {
    set: (fn, delay) => ({ fn, entry: wheel.schedule(fn, delay) }),
    setWith: (fn, delay, arg) => {
      const action = () => fn(arg)
      return { fn: action, entry: wheel.schedule(action, delay) }
    },
    clear: (timer) => timer.entry.remove(),
    refresh: (timer, delay) => {
      timer.entry.remove()
      timer.entry = wheel.schedule(timer.fn, delay)
    },
  }
}
