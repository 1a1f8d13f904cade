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
