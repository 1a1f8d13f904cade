/**
 * The timers of a page that are compared. Loaded once for each contender, under an address of its own with the contender's
 * name behind the question mark: so each has its own copy of all code, the package's included, as in a page that uses it alone.
 */
const NAME = import.meta.url.split('?')[1]

/** Pages have no refresh: a timer is cleared and set again, and whoever holds it has to keep the new number. */
function native() {
  const { setTimeout, clearTimeout } = globalThis
  return {
    set: (callback, delay) => setTimeout(callback, delay),
    setWith: (callback, delay, argument) => setTimeout(callback, delay, argument),
    clear: (timer) => clearTimeout(timer),
    refresh: (timers, i, callback, delay) => {
      clearTimeout(timers[i])
      timers[i] = setTimeout(callback, delay)
    },
  }
}

/** Handles: `setTimeout` of the package, or of a wheel with another driver. */
function handles({ setTimeout, clearTimeout }) {
  return {
    set: (callback, delay) => setTimeout(callback, delay),
    setWith: (callback, delay, argument) => setTimeout(callback, delay, argument),
    clear: (timer) => clearTimeout(timer),
    refresh: (timers, i) => timers[i].refresh(),
  }
}

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
  return handles({
    setTimeout: (...args) => wheel.setTimeout(...args),
    clearTimeout: (timer) => wheel.clearTimeout(timer),
  })
}

const makers = { native, handles, numbers, worker: workerDriven }

/** Loads the package where it is needed. The wheel is made when `make` is called, or with the first timer. */
export async function load() {
  const wheels = NAME === 'native' ? undefined : await import(`/package.mjs?${NAME}`)
  return () => makers[NAME](wheels)
}
