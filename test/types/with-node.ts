/** Code for the timers of Node compiles with ours. Only `npm run typecheck` checks this file. See also plain/assigned.ts. */
import { createServer } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import type * as native from 'node:timers/promises'
import { promisify } from 'node:util'
// biome-ignore format: a list of words
import {
  clearInterval, clearTimeout, setInterval, setTimeout, type Timeout, type TimeoutSignal, TimerWheel,
  timeoutSignal, withTimeout,
} from 'timeout-wheel'
import { idleTimeout } from 'timeout-wheel/http'
import * as ours from 'timeout-wheel/promises'

// Our types fit where Node's are expected.
const handle: NodeJS.Timeout = setTimeout(() => {}, 5)
const ofWheel: NodeJS.Timeout = new TimerWheel().setTimeout(() => {}, 5)
globalThis.clearTimeout(handle)
globalThis.clearInterval(setInterval(() => {}, 5))

// Node's types fit where ours are expected: after `register`, a program may have both.
clearTimeout(globalThis.setTimeout(() => {}, 5))
clearInterval(globalThis.setInterval(() => {}, 5))
new TimerWheel().clearTimeout(handle)
clearTimeout(ofWheel)

class Service {
  #poll: ReturnType<typeof setInterval> | null = setInterval(() => {}, 5)

  stop(): void {
    if (this.#poll?.hasRef()) this.#poll.ref().unref().close()
    clearInterval(this.#poll)
    clearTimeout(`${setTimeout(() => {})}`)
    clearTimeout(undefined)
    clearTimeout(null)
  }
}
new Service().stop()

// Arguments are checked, and resolve functions are accepted.
setTimeout((a: number, b: string) => `${a}${b}`, 5, 1, 'two')
// @ts-expect-error: the second argument is a string
setTimeout((a: number, b: string) => `${a}${b}`, 5, 1, 2)
await new Promise((resolve) => setTimeout(resolve, 5))
await new Promise<number>((resolve) => setTimeout(resolve, 5, 7))
const wait = promisify(setTimeout)
const waited: string = await wait(5, 'value', { ref: false })
await wait(5)

// Undocumented fields of Node.
const left = (timeout: Timeout): number => (timeout._idleStart ?? 0) + timeout._idleTimeout
const over: boolean = setTimeout(() => {})._destroyed
const repeats: number | null = setInterval(() => {})._repeat
setTimeout(() => {})._onTimeout = () => {}
setTimeout(function () {
  // `this` is the handle.
  left(this.refresh(7))
})
void [over, repeats, waited]

// Signals with a timer fit where the signals of the runtime do.
const signal: TimeoutSignal = timeoutSignal(5)
export const ofSignalWheel: AbortSignal = new TimerWheel().signal(5, { unref: false })
export const disposable: Disposable = signal
export const answer: Promise<Response> = fetch('data:,', { signal })
export const either: AbortSignal = AbortSignal.any([signal, ofSignalWheel])
addEventListener('abort', signal.clear, { signal })
export const plain: Promise<number> = withTimeout(5, 5, { signal: ofSignalWheel })
// @ts-expect-error: a delay is a number
timeoutSignal('5')
// @ts-expect-error: there is no such option
withTimeout(plain, 5, { ref: false })
// @ts-expect-error: a native signal has no such methods
ofSignalWheel.clear()
idleTimeout(createServer(), 1_000).close()
// @ts-expect-error: a server of node:net has no requests
idleTimeout(createNetServer(), 1_000)

/** Compiles only if `A` is assignable to `B`. */
type Fits<A extends B, B> = A
type Name = 'setTimeout' | 'setImmediate' | 'setInterval' | 'scheduler'
export type Module = Fits<Pick<typeof ours, Name>, Pick<typeof native, Name>>
export type NativeModule = Fits<Pick<typeof native, Name>, Pick<typeof ours, Name>>
export type OfWheel = Fits<TimerWheel['promises'], typeof ours>
export const nothing: Promise<void> = ours.setTimeout(10)
export const ticks: AsyncIterable<'tick'> = ours.setInterval(10, 'tick', { signal })
// @ts-expect-error a delay is a number
await ours.setTimeout('10')
// @ts-expect-error there is no such option
await ours.setTimeout(10, undefined, { signals: signal })
