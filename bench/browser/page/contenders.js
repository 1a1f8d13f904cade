/**
 * The timers that a page compares. The address has the name of a contender after its question mark, so each contender has its own
 * copy of all code, as in a page that uses it alone.
 */
const NAME = import.meta.url.split('?')[1]

/** The timers of a page have no refresh: a timer is cleared and set again, and the program keeps the new number. */
const native = () => ({
  ...handles(globalThis),
  refresh: (timers, i, callback, delay) => {
    clearTimeout(timers[i])
    timers[i] = setTimeout(callback, delay)
  },
})

/** Handles: `setTimeout` of the package, or of a wheel with another driver. */
const handles = ({ setTimeout, clearTimeout }) => ({
  set: (callback, delay) => setTimeout(callback, delay),
  setWith: (callback, delay, argument) => setTimeout(callback, delay, argument),
  clear: (timer) => clearTimeout(timer),
  refresh: (timers, i) => timers[i].refresh(),
})

function numbers({ TimerWheel }) {
  const wheel = new TimerWheel()
  return {
    set: (callback, delay) => wheel.schedule(callback, delay),
    setWith: (callback, delay, argument) => wheel.schedule(callback, delay, argument),
    clear: (timer) => wheel.cancel(timer),
    refresh: (timers, i, _callback, delay) => wheel.reschedule(timers[i], delay),
  }
}

function workerDriven({ TimerWheel }) {
  const wheel = new TimerWheel({ driver: 'worker' })
  return handles({ setTimeout: wheel.setTimeout.bind(wheel), clearTimeout: wheel.clearTimeout.bind(wheel) })
}

const makers = { native, handles, numbers, worker: workerDriven }

/** The package, if the contender needs it. */
const wheels = NAME === 'native' ? undefined : await import(`/package.mjs?${NAME}`)

/** Makes the timers, with their wheel if it is not made by the first of them. */
export const make = () => makers[NAME](wheels)
