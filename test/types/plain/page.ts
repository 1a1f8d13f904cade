/** versions.test.ts compiles this program for pages. */
import { setInterval, setTimeout, type Timeout, TimeoutMap, TimerWheel, withTimeout } from 'timeout-wheel'
import { setInterval as values, setTimeout as wait } from 'timeout-wheel/promises'

const handle: Timeout = setTimeout(() => {}, 5)
const interval: Timeout = setInterval((n: number) => n, 5, 7).unref()
const wheel: TimerWheel = new TimerWheel({ driver: 'worker' })
export const left: number = wheel.setTimeout(() => {}, 5).remaining + interval.deadline
const map = new TimeoutMap<string, number>({ ttl: 5, wheel })
export const handles: (Timeout | undefined)[] = wheel.stop().map(({ timeout }) => timeout)
map.set('key', 5)
export const within: Promise<number> = withTimeout(wait(5, 7), 5)
setTimeout(function () {
  this.refresh(5)
})

export async function program(): Promise<void> {
  for await (const n of values(5, 7)) if (n > 6) break
}

// Fields of Node's handles, which pages do not have.
// @ts-expect-error
handle._onTimeout
// @ts-expect-error
handle._idleTimeout
// @ts-expect-error
interval._idleStart
// @ts-expect-error
wheel.setInterval(() => {}, 5)._repeat
// @ts-expect-error
wheel.pendingTimers()[0]?.timeout?._destroyed
setTimeout(function () {
  // @ts-expect-error
  this._idleTimeout
})
