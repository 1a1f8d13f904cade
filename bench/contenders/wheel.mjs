/** The adapters of this package. Each takes the module of an entry, or a wheel. The first adapts Node's own timers too. */

/** The drop-in functions, whose handles capture the async context. */
export const handles = ({ setTimeout, clearTimeout, timerGroup }) => ({
  set: (fn, delay) => setTimeout(fn, delay),
  setWith: (fn, delay, arg) => setTimeout(fn, delay, arg),
  clear: (timer) => clearTimeout(timer),
  refresh: (timer) => timer.refresh(),
  timerGroup,
})

export const handlesOf = (wheel) => ({
  set: (fn, delay) => wheel.setTimeout(fn, delay),
  setWith: (fn, delay, arg) => wheel.setTimeout(fn, delay, arg),
  clear: (timer) => wheel.clearTimeout(timer),
  refresh: (timer) => timer.refresh(),
})

export const handlesWithoutContext = ({ TimerWheel }) => handlesOf(new TimerWheel({ asyncContext: false }))

export const numbersOf = (wheel) => ({
  set: (fn, delay) => wheel.schedule(fn, delay),
  setWith: (fn, delay, arg) => wheel.schedule(fn, delay, arg),
  clear: (id) => wheel.cancel(id),
  refresh: (id, delay) => wheel.reschedule(id, delay),
})

export const numbers = ({ TimerWheel }) => numbersOf(new TimerWheel())
