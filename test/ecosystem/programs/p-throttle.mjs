/** A limit for calls in an interval. */
import pThrottle from 'p-throttle'

const INTERVAL = 80
const began = performance.now()
const inInterval = () => Math.round((performance.now() - began) / INTERVAL)
const throttled = pThrottle({ limit: 2, interval: INTERVAL })(async (index) => `${index}:${inInterval()}`)
console.log((await Promise.all(Array.from({ length: 7 }, (_, i) => throttled(i)))).join(' '))

const strict = pThrottle({ limit: 1, interval: INTERVAL, strict: true })(() => performance.now())
const called = performance.now()
const times = await Promise.all([strict(), strict(), strict()])
// Node's timers may be a millisecond early.
console.log(times.every((time, i) => time - called >= i * (INTERVAL - 1)))

const controller = new AbortController()
const aborted = pThrottle({ limit: 1, interval: 60_000, signal: controller.signal })(() => 'ran')
const [first, second] = [aborted(), aborted()]
setTimeout(() => controller.abort(new Error('aborted')), 20)
console.log(await first, await second.catch(({ message }) => message))
