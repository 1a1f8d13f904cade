/**
 * The process stays alive exactly while timers with a reference are pending. test/differential compares the handles of the module with
 * Node's.
 */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { inOneProcess, programsOf } from './one-process.js'

const KEEPING = programsOf(`
  # schedule
  new TimerWheel().schedule(end, 30)
  # a handle without a context
  new TimerWheel({ asyncContext: false }).setTimeout(end, 30)
  # a timer that was refreshed after it ran
  const timeout = setTimeout(() => {}, 1)
  process.once('beforeExit', () => { timeout.refresh(20); process.once('beforeExit', end) })
  # a timer beside one unreferenced twice
  setTimeout(() => {}, 60_000).unref().unref(); setTimeout(end, 30)
  # a timer of a wheel beside an unref wheel
  new TimerWheel({ unref: true }).schedule(() => {}, 60_000); new TimerWheel().schedule(end, 30)`)

const NOT_KEEPING = programsOf(`
  # an id of an unref wheel
  new TimerWheel({ unref: true }).schedule(late, 60_000)
  # a far id of an unref wheel
  new TimerWheel({ unref: true }).schedule(late, 2 ** 45)
  # masses of an unref wheel
  const wheel = new TimerWheel({ unref: true, maxPending: 1e6 })
  for (let i = 0; i < 2000; i++) wheel.cancel(wheel.schedule(late, 60_000 + wheel.schedule(late, 60_000) % 7))
  # a rescheduled id of an unref wheel
  const wheel = new TimerWheel({ unref: true })
  const id = wheel.schedule(late, 5)
  wheel.reschedule(id, 60_000)
  wheel.reschedule(id, 60_000.5)
  # a timer that was unreferenced by an object that inherits from it
  Object.create(setTimeout(late, 60_000)).unref()
  # a timer that has run and was unreferenced by a proxy
  const timeout = setTimeout(() => {}, 5); new Proxy(timeout, {}).unref()
  globalThis.setTimeout(() => timeout.refresh(60_000), 20)
  # a cancelled timer
  const wheel = new TimerWheel(); wheel.cancel(wheel.schedule(late, 60_000))
  # a wheel stopped in a callback
  const wheel = new TimerWheel()
  wheel.setInterval(late, 60_000)
  wheel.schedule(() => wheel.stop(), 5)
  # a timer of another wheel that was unreferenced later
  const timeout = new TimerWheel().setTimeout(late, 60_000)
  globalThis.setTimeout(() => timeout.unref(), 5)
  # a wheel on which nothing was ever set
  new TimerWheel()
  # groups whose members are gone
  const group = new TimerWheel().group(late, 60_000)
  group.delete(group.add(1))
  group.add(2)
  group.clear()
  # a stopped wheel with a deadline that 64 bits of nanoseconds, 584 years, cannot hold
  // In a loop that wakes all the time, no virtual time passes.
  const far = new TimerWheel({ tick: 100_000 })
  far.schedule(late, 18_446_743_900_000)
  globalThis.setTimeout(() => far.stop(), 25_000)
  # intervals without references whose callbacks take longer than their delays
  // The last program, because such intervals run on while a later one waits.
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
  for (let i = 0; i < 3; i++) setInterval(() => busyWait(7), 1).unref()
  setTimeout(() => busyWait(3), 2)`)

describe.each(ENTRIES)('%s', (entry) => {
  const outcomesOf = (cases: [string, string][]) =>
    inOneProcess({
      prelude: `
        import { setInterval, setTimeout, TimerWheel } from '${entry}'
        const [end, late] = ['end', 'late'].map((text) => () => console.log(text))
        let waited = performance.now()`,
      programs: cases.map(([, program]) => program),
      after: `
        if (performance.now() - waited > 30_000) console.log('it has waited')
        waited = performance.now()`,
      env: virtualClock(),
    })
  const keeping = outcomesOf(KEEPING)
  const notKeeping = outcomesOf(NOT_KEEPING)

  it.each(KEEPING)('is kept alive by %s', async (_title, program) => {
    expect(await keeping(program)).toEqual({ ...CLEAN, lines: ['end'] })
  })

  it.each(NOT_KEEPING)('is not kept alive by %s', async (_title, program) => {
    expect(await notKeeping(program)).toEqual({ ...CLEAN, lines: [] })
  })
})
