/** versions.test.ts compiles this program: also without types of Node and of the newest language features. */
import type { Timeout, TimeoutSignal, TimersPromises } from 'timeout-wheel'
import * as timers from 'timeout-wheel'
import { clearTimeout, setInterval, setTimeout, TimerWheel, timeoutSignal, withTimeout } from 'timeout-wheel'
import { type ConnectionServer, type IdleTimeout, idleTimeout } from 'timeout-wheel/http'
import * as native from 'timeout-wheel/native'
import promises, { scheduler, setInterval as values, setTimeout as wait } from 'timeout-wheel/promises'
import * as registration from 'timeout-wheel/register'
import * as wasm from 'timeout-wheel/wasm'

const handle: Timeout = setTimeout((text: string) => text.length, 5, 'text')
clearTimeout(handle.refresh().unref())
clearTimeout(+setInterval(() => {}, 5))
const wheel: TimerWheel = new TimerWheel({ tick: 2, budget: 5, asyncContext: false })
const id: number = wheel.schedule((n: number) => n + 1, 5, 7)
export const wasPending: boolean = wheel.reschedule(id, 7) && wheel.cancel(id)
const signal: TimeoutSignal = timeoutSignal(5, { unref: false }).refresh(7).refresh()
export const isAborted: boolean = wheel.signal(5).aborted
export const within: Promise<number> = withTimeout(Promise.resolve(5), 5, { signal, unref: true })
export const generic = <T>(work: T) => withTimeout(work, 5)
signal.clear()
export const whole: typeof wait = promises.setTimeout
export const backends: ['native' | 'wasm', 'wasm'] = [timers.backend, wasm.backend]
export const registered: [boolean, string[]] = [registration.register(), registration.unregister()]
const long: Timeout = timers.setLongTimeout((text: string) => text.length, 2 ** 40, 'text')
clearTimeout(wasm.setLongTimeout(() => {}).refresh(long.remaining))
wheel.setInterval((missed, text) => missed + text.length, { delay: 5, drift: false }, 'text')
wheel.setInterval((text) => text.length, { delay: 5, drift: true }, 'text')
export const all = [timers.setTimeout, native.setTimeout, wasm.setTimeout]

export async function program(): Promise<string> {
  for await (const n of values(5, 7, { ref: false })) if (n > 6) break
  await scheduler.wait(5)
  await scheduler.yield()
  const ours: TimersPromises = wheel.promises
  await ours.setTimeout()
  if ((await promises.setImmediate(7)) > 6) return 'text'
  return wait(5, 'text')
}

export const watch = (server: ConnectionServer) => idleTimeout(server, 5, { wheel })
export const isIdle = ({ size }: IdleTimeout): boolean => size > 0

/** Moves the pending timers of a wheel to another wheel. */
export function move(from: TimerWheel, to: TimerWheel): void {
  for (const { callback, args, remaining } of from.stop()) {
    to.setTimeout(callback, Math.max(remaining, 0), ...args)
    callback(...args)
  }
  to.schedule((argument: string | undefined) => argument, 5)
}

// @ts-expect-error: a tick is a number
new TimerWheel({ tick: '1' })
// @ts-expect-error: there is no such option
new TimerWheel({ ticks: 1 })
// @ts-expect-error: a callback is a function
wheel.schedule('callback', 5)
// @ts-expect-error: only intervals can drift
wheel.setTimeout(() => {}, { delay: 5, drift: false })
// @ts-expect-error: the first argument is a number
wheel.setInterval((missed: string) => missed, { delay: 5, drift: false })
// @ts-expect-error: the argument is a string
timers.setLongTimeout((text: string) => text, 5, 7)
