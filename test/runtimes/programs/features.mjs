/** Uses each feature of the package. Prints the name of each that works, or its error. Then it ends by itself. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import * as ours from 'timeout-wheel'
import { scheduler, setInterval as ticks, setTimeout as wait } from 'timeout-wheel/promises'

const { clearInterval, clearTimeout, setInterval, setTimeout, TimerWheel, TimeoutMap } = ours

/** Resolves with the arguments of the call that is given to `start`. */
const called = (start) => new Promise((resolve) => start((...args) => resolve(args)))
const equal = (value, expected) => {
  if (String(value) !== String(expected)) throw new Error(`got ${value}, not ${expected}`)
}
/** Throws if less than `ms` milliseconds pass in `fn`. */
async function takes(ms, fn) {
  const started = performance.now()
  const result = await fn()
  const passed = performance.now() - started
  if (passed < ms - 0.01) throw new Error(`${passed} ms instead of ${ms}`)
  return result
}

const features = {
  backend: async () => equal(ours.backend, 'wasm'),
  setTimeout: async () => equal(await takes(20, () => called((done) => setTimeout(done, 20, 1, 'b'))), '1,b'),
  async clearTimeout() {
    let ran = 0
    clearTimeout(setTimeout(() => ran++, 2))
    clearTimeout(+setTimeout(() => ran++, 2))
    await wait(10)
    equal(ran, 0)
  },
  async refresh() {
    const run = called((done) => {
      const timeout = setTimeout(done, 20)
      setTimeout(() => timeout.refresh(), 10)
    })
    await takes(30, () => run)
  },
  async setInterval() {
    let count = 0
    await called((done) => {
      const interval = setInterval(() => ++count === 3 && done(clearInterval(interval)), 3)
    })
    await wait(10)
    equal(count, 3)
  },
  async setLongTimeout() {
    equal(await called((done) => ours.setLongTimeout(done, 5, 'a')), 'a')
    const timeout = ours.setLongTimeout(() => {}, 2 ** 40)
    equal(timeout.remaining > 2 ** 39, true)
    clearTimeout(timeout)
  },
  async promises() {
    equal(await takes(5, () => wait(5, 'value')), 'value')
    await scheduler.wait(1)
    const values = []
    for await (const value of ticks(2, 'tick')) if (values.push(value) === 3) break
    equal(values, 'tick,tick,tick')
    const controller = new AbortController()
    const aborted = wait(60_000, 0, { signal: controller.signal }).catch(({ name }) => name)
    controller.abort()
    equal(await aborted, 'AbortError')
  },
  async timeoutSignal() {
    const signal = ours.timeoutSignal(10)
    await called((done) => signal.addEventListener('abort', done))
    equal(signal.reason.name, 'TimeoutError')
  },
  async withTimeout() {
    const late = ours.withTimeout(new Promise(() => {}), 5)
    equal(await late.catch(({ name }) => name), 'TimeoutError')
  },
  timerGroup: async () => equal(await called((done) => ours.timerGroup(done, 10).add('member')), 'member'),
  async TimeoutMap() {
    const map = (onExpire) => new TimeoutMap({ ttl: 5, onExpire, unref: false }).set('key', 'value')
    equal(await called(map), 'value,key')
  },
  async TimerWheel() {
    const all = { budget: 5, tick: 0.25, unref: true, maxPending: 1, driver: 'host', measure: true }
    for (const [name, value] of Object.entries(all)) {
      const wheel = new TimerWheel({ [name]: value })
      equal(await takes(5, () => called((done) => wheel.schedule(done, 5, 'argument'))), 'argument')
      wheel.stop()
    }
  },
  async 'virtual time'() {
    const wheel = new TimerWheel({ driver: 'manual' })
    let ran = 0
    wheel.setTimeout(() => ran++, 3_600_000)
    wheel.advance(3_600_000)
    equal(ran, 1)
  },
  // Timers that are already due when the turn ends, and more than one slice of them.
  async 'a burst'() {
    const order = []
    await called((done) => {
      for (let i = 0; i < 20_000; i++) setTimeout(() => order.push(i) === 20_000 && done(), 1)
    })
    equal(order.filter((value, i) => value !== i).length, 0)
  },
  // The burst has left a rest for another turn. The list of what keeps the process alive is empty in Bun.
  'a wheel without references after a burst': () =>
    called((done) => new TimerWheel({ unref: true }).setTimeout(done, 5)),
  async channels() {
    let heard = 0
    const listen = () => heard++
    subscribe('timeout-wheel:expire', listen)
    await wait(1)
    await wait(1)
    unsubscribe('timeout-wheel:expire', listen)
    equal(heard > 0, true)
  },
  async AsyncLocalStorage() {
    const storage = new AsyncLocalStorage()
    equal(await called((done) => storage.run(7, () => setTimeout(() => done(storage.getStore()), 2))), '7')
  },
  async stats() {
    ours.configure({ budget: 5 })
    equal(ours.stats().fired >= 20_000, true)
  },
}

/** The runtime's own timer reports a feature that never ends. */
const { setTimeout: hostSet, clearTimeout: hostClear } = globalThis
for (const [name, use] of Object.entries(features)) {
  let limit
  const late = new Promise((_, reject) => {
    limit = hostSet(() => reject(new Error('did not end')), 10_000)
  })
  const outcome = await Promise.race([use(), late]).then(() => 'works', String)
  hostClear(limit)
  console.log(`${name}: ${outcome}`)
}
