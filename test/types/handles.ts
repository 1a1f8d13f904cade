/** Code that was written for Node's timers compiles with ours. Only `npm run typecheck` checks this file. */
import { promisify } from 'node:util'
import {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
  type Timeout,
  TimerWheel,
} from 'timeout-wheel'

// Our types fit where Node's are expected.
const handle: NodeJS.Timeout = setTimeout(() => {}, 5)
const interval: NodeJS.Timeout = setInterval(() => {}, 5)
const ofWheel: NodeJS.Timeout = new TimerWheel().setTimeout(() => {}, 5)
const immediate: NodeJS.Immediate = setImmediate(() => {})
globalThis.clearTimeout(handle)
globalThis.clearInterval(setInterval(() => {}, 5))
globalThis.clearImmediate(immediate)

// Node's types fit where ours are expected: after `register`, a program may have both.
clearTimeout(globalThis.setTimeout(() => {}, 5))
clearInterval(globalThis.setInterval(() => {}, 5))
clearImmediate(globalThis.setImmediate(() => {}))
new TimerWheel().clearTimeout(interval)
clearTimeout(ofWheel)

class Service {
  #timer: ReturnType<typeof setTimeout> | undefined
  #poll: ReturnType<typeof setInterval> | null = null
  readonly timers = { setTimeout, clearTimeout }

  start(): void {
    this.#timer = setTimeout(() => this.stop(), 5).unref()
    this.#poll = setInterval(() => this.#timer?.refresh(), 5)
    if (this.#timer.hasRef()) this.#poll.ref().unref().close()
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#poll)
    clearTimeout(+this.timers.setTimeout(() => {}))
    clearTimeout(`${setTimeout(() => {})}`)
    clearTimeout(undefined)
    clearTimeout(null)
  }
}
new Service().start()

// Arguments are checked, and resolve functions are accepted.
setTimeout((a: number, b: string) => `${a}${b}`, 5, 1, 'two')
// @ts-expect-error: the second argument is a string
setTimeout((a: number, b: string) => `${a}${b}`, 5, 1, 2)
await new Promise((resolve) => setTimeout(resolve, 5))
await new Promise<void>((resolve) => setTimeout(resolve, 5))
await new Promise<void>((resolve) => void setImmediate(resolve))
await new Promise<number>((resolve) => setTimeout(resolve, 5, 7))
const wait = promisify(setTimeout)
const waited: string = await wait(5, 'value', { ref: false })
await wait(5)
// @ts-expect-error: no callback
setTimeout('code', 5)

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
