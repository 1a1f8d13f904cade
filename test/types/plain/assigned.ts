/** Compiled with the timers of Node, of pages or of both: our functions take the place of those. */
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'timeout-wheel'

export const set: typeof globalThis.setTimeout = setTimeout
export const repeat: typeof globalThis.setInterval = setInterval
export const clear: typeof globalThis.clearTimeout = clearTimeout
export const end: typeof globalThis.clearInterval = clearInterval

interface Timers {
  setTimeout: typeof globalThis.setTimeout
  clearTimeout: typeof globalThis.clearTimeout
}
export const timers: Timers = { setTimeout, clearTimeout }
clearTimeout(timers.setTimeout(() => {}, 5))

// Only there: our own functions take no code, and return handles.
// @ts-expect-error: a callback is a function
setTimeout('code', 5)
// @ts-expect-error: a callback is a function
setInterval('code', 5)
setTimeout(() => {}, 5).unref()
setInterval((n: number) => n, 5, 7).unref()
const kept: ReturnType<typeof setTimeout> = setInterval(() => {}, 5)
clearTimeout(kept.refresh())
