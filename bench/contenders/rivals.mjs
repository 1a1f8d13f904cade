/** Adapters of other packages. Each package is loaded only when it is measured. */

/** The timers that undici uses for its connections: a list that is searched twice a second. They run up to a second late. */
export async function undici() {
  const { default: timers } = await import('undici/lib/util/timers.js')
  return {
    set: (fn, delay) => timers.setFastTimeout(fn, delay),
    setWith: (fn, delay, arg) => timers.setFastTimeout(fn, delay, arg),
    clear: (timer) => timers.clearFastTimeout(timer),
    refresh: (timer) => timer.refresh(),
  }
}

/** Milliseconds. The finest slot of timer-wheel lasts 1,024 ms, so that more frequent advances gain little. */
const ADVANCE_EVERY = 250

/** A timing wheel in JavaScript that its user advances. An entry cannot be rescheduled: it is removed, and a new one is made. */
export async function timerWheel() {
  const { ActionTimerWheel } = (await import('timer-wheel')).default
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

/** One native timer for each timer. Rescheduling to a later deadline is one store. */
export async function retimer() {
  const { default: make } = await import('retimer')
  return {
    set: (fn, delay) => make(fn, delay),
    setWith: (fn, delay, arg) => make(fn, delay, arg),
    clear: (timer) => timer.clear(),
    refresh: (timer, delay) => timer.reschedule(delay),
  }
}

export const heap = async () => (await import('./heap.mjs')).handles()
