/** The process stays alive exactly while timers with a reference are pending. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { type Outcome, run as runInRealTime } from './child.js'
import { inOneProcess } from './one-process.js'

/** Time passes only while a program waits, so the order of its lines does not depend on the machine. */
const run = (script: string): Promise<Outcome> => runInRealTime(script, [], virtualClock())

const KEEPING: [string, string][] = [
  ['schedule', `new TimerWheel().schedule(end, 30)`],
  ['a handle without a context', `new TimerWheel({ asyncContext: false }).setTimeout(end, 30)`],
  ['a timer that was referenced anew', `setTimeout(end, 30).unref().ref()`],
  [
    'a timer that was referenced again later',
    `
    const timeout = setTimeout(end, 60).unref()
    globalThis.setTimeout(() => timeout.ref(), 5)`,
  ],
  [
    'a timer that its callback refreshed',
    `
    let runs = 0
    const timeout = setTimeout(() => ++runs === 3 ? end() : timeout.refresh(), 5)`,
  ],
  [
    'a timer that was refreshed after it ran',
    `
    const timeout = setTimeout(() => {}, 1)
    let refreshed = false
    process.once('beforeExit', () => { timeout.refresh(20); process.once('beforeExit', end) })`,
  ],
  [
    'a timer beside one unreferenced twice',
    `setTimeout(() => {}, 60_000).unref().unref(); setTimeout(end, 30)`,
  ],
  ['a timer set in the last callback', `setTimeout(() => setTimeout(() => setTimeout(end, 5), 5), 5)`],
  [
    'a timer of a wheel beside an unref wheel',
    `new TimerWheel({ unref: true }).schedule(() => {}, 60_000); new TimerWheel().schedule(end, 30)`,
  ],
  ['a timer set in a microtask', `Promise.resolve().then(() => setTimeout(end, 30))`],
]

const NOT_KEEPING: [string, string][] = [
  ['an id of an unref wheel', `new TimerWheel({ unref: true }).schedule(late, 60_000)`],
  ['a far id of an unref wheel', `new TimerWheel({ unref: true }).schedule(late, 2 ** 45)`],
  [
    'masses of an unref wheel',
    `const wheel = new TimerWheel({ unref: true, maxPending: 1e6 })
    for (let i = 0; i < 2000; i++) wheel.cancel(wheel.schedule(late, 60_000 + wheel.schedule(late, 60_000) % 7))`,
  ],
  [
    'a rescheduled id of an unref wheel',
    `const wheel = new TimerWheel({ unref: true })
    const id = wheel.schedule(late, 5)
    wheel.reschedule(id, 60_000)
    wheel.reschedule(id, 60_000.5)`,
  ],
  [
    'a timer that was unreferenced by an object that inherits from it',
    `Object.create(setTimeout(late, 60_000)).unref()`,
  ],
  [
    'a timer that has run and was unreferenced by a proxy',
    `const timeout = setTimeout(() => {}, 5); new Proxy(timeout, {}).unref()
    globalThis.setTimeout(() => timeout.refresh(60_000), 20)`,
  ],
  ['a cleared timer', `clearTimeout(setTimeout(late, 60_000))`],
  ['a cancelled timer', `const wheel = new TimerWheel(); wheel.cancel(wheel.schedule(late, 60_000))`],
  ['a stopped wheel', `const wheel = new TimerWheel(); wheel.schedule(late, 60_000); wheel.stop()`],
  [
    'a wheel stopped in a callback',
    `
    const wheel = new TimerWheel()
    wheel.setInterval(late, 60_000)
    wheel.schedule(() => wheel.stop(), 5)`,
  ],
  [
    'a timer that was unreferenced later',
    `
    const timeout = setTimeout(late, 60_000)
    globalThis.setTimeout(() => timeout.unref(), 5)`,
  ],
  [
    'a timer of another wheel that was unreferenced later',
    `
    const timeout = new TimerWheel().setTimeout(late, 60_000)
    globalThis.setTimeout(() => timeout.unref(), 5)`,
  ],
  ['a wheel on which nothing was ever set', `new TimerWheel()`],
  [
    'groups whose members are gone',
    `const group = new TimerWheel().group(late, 60_000)
    group.delete(group.add(1))
    group.add(2)
    group.clear()`,
  ],
  // The last one, because such intervals run on while a later program waits.
  [
    'intervals without references whose callbacks take longer than their delays',
    `
    const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
    for (let i = 0; i < 3; i++) setInterval(() => busyWait(7), 1).unref()
    setTimeout(() => busyWait(3), 2)`,
  ],
]

const textsOf = (cases: [string, string][]): string[] => cases.map(([, body]) => body)

describe.each(ENTRIES)('%s', (entry) => {
  const keeping = inOneProcess({
    prelude: `
      import { setTimeout, TimerWheel } from '${entry}'
      const end = () => console.log('end')`,
    programs: textsOf(KEEPING),
    env: virtualClock(),
  })

  it.each(KEEPING)('is kept alive by %s', async (_name, body) => {
    expect(await keeping(body)).toEqual({ ...CLEAN, lines: ['end'] })
  })

  const notKeeping = inOneProcess({
    prelude: `
      import { setTimeout, clearTimeout, setInterval, TimerWheel } from '${entry}'
      const late = () => console.log('late')
      let waited = performance.now()`,
    programs: textsOf(NOT_KEEPING),
    after: `
      if (performance.now() - waited > 30_000) console.log('it has waited')
      waited = performance.now()`,
    env: virtualClock(),
  })

  it.each(NOT_KEEPING)('is not kept alive by %s', async (_name, body) => {
    expect(await notKeeping(body)).toEqual({ ...CLEAN, lines: [] })
  })

  it('runs timers without a reference while something else keeps the process alive', async () => {
    const outcome = await run(`
      import { setTimeout, setInterval } from '${entry}'
      let runs = 0
      setInterval(() => runs++, 2).unref()
      setTimeout(() => console.log('unreferenced'), 10).unref()
      globalThis.setTimeout(() => console.log(runs > 1), 150)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['unreferenced', 'true'] })
  })

  it('sleeps until a deadline that 64 bits of nanoseconds cannot hold', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      // 64 bits hold 584 years. In a loop that wakes all the time, no virtual time passes.
      new TimerWheel({ tick: 100_000 }).schedule(() => console.log('never'), 18_446_743_900_000)
      globalThis.setTimeout(() => process.exit(), 60_000)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: [] })
  })

  it('runs timers while the event loop has no other work, however often it was empty before', async () => {
    const outcome = await run(`
      import { setTimeout } from '${entry}'
      let rounds = 0
      process.on('beforeExit', () => { if (rounds++ < 5) setTimeout(() => console.log(rounds), 2) })
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['1', '2', '3', '4', '5'] })
  })
})
