/** A timer releases its callback and arguments whenever Node's timer does, even if the program keeps the handle. */
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'
import { inOneProcess } from './one-process.js'

const preludeOf = (entry: string): string => `
  import * as timers from '${entry}'
  import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
  const { setTimeout, setInterval, clearTimeout } = timers
  const storage = new AsyncLocalStorage()
  const kept = []
  const watched = []
  /** Makes a timer of which the program can reach only the handle. */
  function make(set, delay, then = () => {}) {
    const [argument, store] = [{ argument: true }, { store: true }]
    const callback = (() => { const own = {}; return function () { void own; then(this) } })()
    for (const [name, part] of Object.entries({ argument, store, callback })) watched.push([name, new WeakRef(part)])
    const timer = storage.run(store, () => set(callback, delay, argument))
    kept.push(timer)
    return timer
  }
  const clear = (timer) => {
    new AsyncResource('another').runInAsyncScope(clearTimeout, undefined, timer)
    console.log('then', storage.getStore())
  }
  const later = (ms) => new Promise((resolve) => globalThis.setTimeout(resolve, ms))
`

/** Logs which parts of a timer have been collected after `use` ends. */
const program = (use: string): string => `
  await (async () => { ${use} })()
  for (let i = 0; i < 6; i++) { await later(5); gc() }
  for (const [name, reference] of watched.splice(0)) console.log(name, reference.deref() === undefined ? 'gone' : 'held')
  console.log(kept.splice(0).length)
`

const USES: [string, string][] = [
  ['is pending', `make(setTimeout, 100_000).unref()`],
  ['is cleared', `clearTimeout(make(setTimeout, 100_000))`],
  [
    'was refreshed and cleared',
    `const t = make(setTimeout, 100_000); t.refresh(); await later(5); t.refresh(); clearTimeout(t)`,
  ],
  ['was cleared by its number', `const t = make(setTimeout, 100_000); clearTimeout(+t)`],
  ['has run', `make(setTimeout, 2); await later(50)`],
  ['was cleared after it had run', `const t = make(setTimeout, 2); await later(50); clearTimeout(t)`],
  ['cleared itself', `make(setTimeout, 2, clear); await later(50)`],
  ['cleared itself, an interval', `make(setInterval, 2, clear); await later(50)`],
]

const DROPPED =
  'clearTimeout(make(setTimeout, 100_000)); make(setTimeout, 2); const t = make(setInterval, 2, (t) => clearTimeout(+t)); await later(50); kept.length = 0'

describe.each(ENTRIES)('%s', (entry) => {
  const linesOn = (timers: string): ((use: string) => Promise<string[]>) => {
    const outcomeOf = inOneProcess({
      prelude: preludeOf(timers),
      programs: [...USES.map(([, use]) => use), DROPPED].map(program),
      flags: ['--expose-gc'],
      env: virtualClock(),
    })
    return async (use) => {
      const { lines, ...rest } = await outcomeOf(program(use))
      expect(rest).toEqual(CLEAN)
      return lines
    }
  }
  const [onNode, onOurs] = [linesOn('node:timers'), linesOn(entry)]

  it.each(USES)('keeps no more than Node of a timer that %s, except for the store', async (name, use) => {
    const [native, ours] = await Promise.all([onNode(use), onOurs(use)])
    expect(ours).toHaveLength(native.length)
    for (const [i, line] of native.entries()) if (!/held|store/.test(line)) expect(ours[i]).toBe(line)
    if (name.includes('cleared'))
      expect(ours).toEqual(expect.arrayContaining(['callback gone', 'argument gone']))
  })

  it('releases everything with the handle', async () => {
    const parts = ['argument', 'store', 'callback'].map((name) => `${name} gone`)
    expect(await onOurs(DROPPED)).toEqual([...parts, ...parts, ...parts, '0'])
  })

  it('releases the memory of a wheel that its callback has stopped, whatever was pending', async () => {
    const program = `
      import { queryObjects } from 'node:v8'
      import { TimerWheel } from '${entry}'
      const before = queryObjects(WebAssembly.Memory, { format: 'count' })
      const open = (use) => {
        const wheel = new TimerWheel()
        wheel.setTimeout(() => wheel.stop(), 1)
        use(wheel.setTimeout(() => {}, 100_000))
      }
      for (let i = 0; i < 5; i++) {
        open((timer) => timer.unref())
        open((timer) => timer.ref())
      }
      globalThis.setTimeout(() => console.log(queryObjects(WebAssembly.Memory, { format: 'count' }) - before), 50)`
    const { lines, code } = await run(program)
    expect([lines, code]).toEqual([['0'], 0])
  })
})
