import timerWheel from 'timer-wheel'

/** @import { Timers } from './index.mjs' */

const { ActionTimerWheel } = timerWheel

/** Its finest slot lasts 1,024 ms: looking more often brings little. */
const ADVANCE_EVERY = 250

/**
 * A timing wheel in JavaScript, which its user has to advance: twice a slot and more here, by an interval. What it
 * schedules cannot be moved, so a refresh is a removal and a new entry.
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
