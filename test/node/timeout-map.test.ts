/** TimeoutMap on Node: whether it keeps the process alive, what stays of a dropped map, and what util.inspect shows. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { type Outcome, run as runInRealTime } from './child.js'
import { inOneProcess } from './one-process.js'

/** Time passes only while a program waits. */
const run = (script: string, flags: string[] = []): Promise<Outcome> =>
  runInRealTime(script, flags, virtualClock())

/** What a program does with maps, and the lines that it prints. */
const DOCUMENTED: [string, string, string[]][] = [
  [
    'for expired keys',
    `const map = new TimeoutMap({ unref: false }); for (let i = 0; i < 100; i++) map.set(i, i, i > 0 ? 30 : undefined)`,
    ['soon'],
  ],
  [
    'for an entry that onExpire adds',
    `const map = new TimeoutMap({
      ttl: 30, unref: false, onExpire(value, key) { console.log(key); if (key === 'a') map.set('b', 2) },
    })
    map.set('a', 1)`,
    ['a', 'b', 'soon'],
  ],
  // The last one, because its entry could expire while a later program waits.
  ['by default', `new TimeoutMap({ ttl: 60_000, onExpire }).set('a', 1)`, ['soon']],
]

/** An entry of a second and one that never expires, and what is done in a later turn. */
const between = (body: string, options = '') => `
  const wheel = new TimerWheel()
  const map = new TimeoutMap({ ttl: 60_000, unref: false, onExpire, ${options} })
  map.set('never', 1, Infinity).set('a', 1)
  setTimeout(() => { ${body} }, 20)`

const ENDING: [name: string, body: string, options?: string][] = [
  ['was set to never expire', `map.set('a', 2, Infinity)`],
  ['was deleted', `map.delete('a')`],
  ['was deleted and another added that never expires', `map.delete('a'); map.set('b', 1, Infinity)`],
  ['was cleared', 'map.clear()'],
  ['was evicted', `map.set('b', 1, Infinity); map.set('c', 1, Infinity)`, 'max: 2'],
  ['lost its wheel', 'wheel.clear()', 'wheel'],
  ['lost its wheel for good', 'wheel.stop()', 'wheel'],
]

const KEEPING: typeof ENDING = [
  ['was touched', `map.touch('a')`],
  ['was replaced', `map.set('a', 2)`],
  ['got a longer ttl', `map.set('a', 2, 90_000)`],
  ['was deleted and added again', `map.delete('a'); map.set('a', 1)`],
  ['never expires, and another one can', `map.set('a', 1, Infinity); map.set('a', 1)`],
  ['was cleared with all, and added again', `map.clear(); map.set('a', 1)`],
  ['lost its wheel, and was touched', `wheel.clear(); map.touch('a')`, 'wheel'],
]

const betweenOf = ([, body, options]: (typeof ENDING)[number]): string => between(body, options)

describe.each(ENTRIES)('%s', (entry) => {
  const outcomeOf = inOneProcess({
    prelude: `
      import { TimeoutMap, TimerWheel } from '${entry}'
      import { performance } from 'node:perf_hooks'
      const onExpire = (value, key) => console.log(key)
      let started = performance.now()`,
    programs: [...[...ENDING, ...KEEPING].map(betweenOf), ...DOCUMENTED.map(([, body]) => body)],
    after: `
      console.log(performance.now() - started > 10_000 ? 'late' : 'soon')
      started = performance.now()`,
    env: virtualClock(),
  })

  it.each(DOCUMENTED)('keeps the process alive as documented: %s', async (_name, body, lines) => {
    expect(await outcomeOf(body)).toEqual({ ...CLEAN, lines })
  })

  it.each(ENDING)('lets the process end when its last entry that can expire %s', async (...what) => {
    expect(await outcomeOf(betweenOf(what))).toEqual({ ...CLEAN, lines: ['soon'] })
  })

  it.each(KEEPING)('keeps the process alive while its last entry that can expire %s', async (...what) => {
    expect(await outcomeOf(betweenOf(what))).toEqual({ ...CLEAN, lines: ['a', 'late'] })
  })

  it('is collected after it was dropped and its entries have expired, also with entries that never expire', async () => {
    const outcome = await run(
      `
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
      process.exit()
    `,
      ['--expose-gc'],
    )
    expect(outcome).toEqual({ ...CLEAN, lines: [Array(8).fill(true).join()] })
  })

  it('shows its entries in util.inspect', async () => {
    const outcome = await run(
      `import { TimeoutMap } from '${entry}'; console.log(new TimeoutMap().set('a', { b: 1 }))`,
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ["TimeoutMap(1) { 'a' => { b: 1 } }"] })
  })

  it('calls onExpire without an async context', async () => {
    const outcome = await run(`
      import { TimeoutMap } from '${entry}'
      import { AsyncLocalStorage } from 'node:async_hooks'
      const storage = new AsyncLocalStorage()
      const map = new TimeoutMap({ ttl: 10, unref: false, onExpire: () => console.log(storage.getStore()) })
      storage.run('context', () => map.set(1, 1))
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['undefined'] })
  })
})
