/** TimeoutMap on Node: whether it keeps the process alive, what stays of a dropped map, and what util.inspect shows. */
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { printsInOneProcess, printsWith } from './prints.js'

/** A program with an entry of a minute and one that never expires. @param act in a later turn */
const between = (act: string, options = ''): string => `
  const wheel = new TimerWheel()
  const map = new TimeoutMap({ ttl: 60_000, unref: false, onExpire, ${options} })
  map.set('never', 1, Infinity).set('a', 1)
  setTimeout(() => { ${act} }, 20)`
const ending = (what: string, ...how: Parameters<typeof between>): string =>
  `# lets the process end when its last entry that can expire ${what} -> soon\n${between(...how)}\n`
const keeping = (what: string, ...how: Parameters<typeof between>): string =>
  `# keeps the process alive while its last entry that can expire ${what} -> a | late\n${between(...how)}\n`

const PROGRAMS = [
  ending('was set to never expire', `map.set('a', 2, Infinity)`),
  ending('was deleted', `map.delete('a')`),
  ending('was deleted and another added that never expires', `map.delete('a'); map.set('b', 1, Infinity)`),
  ending('was cleared', 'map.clear()'),
  ending('was evicted', `map.set('b', 1, Infinity); map.set('c', 1, Infinity)`, 'max: 2'),
  ending('lost its wheel', 'wheel.clear()', 'wheel'),
  ending('lost its wheel for good', 'wheel.stop()', 'wheel'),
  keeping('was touched', `map.touch('a')`),
  keeping('was replaced', `map.set('a', 2)`),
  keeping('got a longer ttl', `map.set('a', 2, 90_000)`),
  keeping('was deleted and added again', `map.delete('a'); map.set('a', 1)`),
  keeping('never expires, and another one can', `map.set('a', 1, Infinity); map.set('a', 1)`),
  keeping('was cleared with all, and added again', `map.clear(); map.set('a', 1)`),
  keeping('lost its wheel, and was touched', `wheel.clear(); map.touch('a')`, 'wheel'),
  `
  # keeps the process alive for keys that have expired -> soon
  const map = new TimeoutMap({ unref: false }); for (let i = 0; i < 100; i++) map.set(i, i, i > 0 ? 30 : undefined)
  # keeps the process alive for an entry that onExpire adds -> a | b | soon
  const onExpireAdd = (value, key) => { console.log(key); if (key === 'a') map.set('b', 2) }
  const map = new TimeoutMap({ ttl: 30, unref: false, onExpire: onExpireAdd }).set('a', 1)
  # disposes of the others, if dispose throws in a microtask after stop() of the wheel -> a expire | b expire | threw a | soon
  const wheel = new TimerWheel()
  process.once('unhandledRejection', (error) => console.log('threw', error))
  const dispose = (value, key, reason) => { console.log(key, reason); if (key === 'a') throw key }
  const map = new TimeoutMap({ ttl: 5, wheel, dispose }).set('a', 1).set('b', 2)
  setTimeout(() => { wheel.stop(); setTimeout(() => map.size, 20) }, 1)
  # is shown by util.inspect -> TimeoutMap(1) { 'a' => 1 } | soon
  console.log(new TimeoutMap().set('a', 1))
  # calls onExpire without an async context -> undefined | soon
  const storage = new AsyncLocalStorage()
  const map = new TimeoutMap({ ttl: 10, unref: false, onExpire: () => console.log(storage.getStore()) })
  storage.run('context', () => map.set(1, 1))`,
].join('')

describe.each(ENTRIES)('%s', (entry) => {
  printsInOneProcess({
    prelude: `
      import { TimeoutMap, TimerWheel } from '${entry}'
      import { AsyncLocalStorage } from 'node:async_hooks'
      import { performance } from 'node:perf_hooks'
      const onExpire = (value, key) => console.log(key)
      let started = performance.now()`,
    after: `
      console.log(performance.now() - started > 10_000 ? 'late' : 'soon')
      started = performance.now()`,
    env: virtualClock(),
  })(PROGRAMS)

  const prints = printsWith(['--expose-gc'], virtualClock())
  prints(`
    # is collected after it was dropped and its entries have expired, also with entries that never expire
    -> ${Array(8).fill(true).join()}
    import { TimeoutMap } from '${entry}'
    const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    function make(options, ...ttls) {
      const map = new TimeoutMap(options)
      const value = {}
      for (const [key, ttl] of ttls.entries()) map.set(key, value, ttl)
      return [map, value].map((one) => new WeakRef(one))
    }
    const dropped = [
      make({ ttl: 1000 }, 1000, 20), make({ ttl: 1000, onExpire() {} }, 20, 30), make({}, undefined), make({}, 20, undefined),
    ].flat()
    await later(11_500)
    for (let i = 0; i < 5; i++) { gc(); await later(5) }
    console.log(dropped.map((reference) => reference.deref() === undefined).join())
    process.exit()`)
})
