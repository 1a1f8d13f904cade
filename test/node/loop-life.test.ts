/**
 * The process stays alive exactly while timers with a reference are pending. test/differential compares the handles of the module with
 * Node's.
 */
import { describe } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { programsOf } from './one-process.js'
import { printsInOneProcess } from './prints.js'

const PROGRAMS = programsOf(`
  # is kept alive by schedule
  new TimerWheel().schedule(end, 30)
  # is kept alive by a handle without a context
  new TimerWheel({ asyncContext: false }).setTimeout(end, 30)
  # is kept alive by a timer that was refreshed after it ran
  const timeout = setTimeout(() => {}, 1)
  process.once('beforeExit', () => { timeout.refresh(20); process.once('beforeExit', end) })
  # is kept alive by a timer beside one unreferenced twice
  setTimeout(() => {}, 60_000).unref().unref(); setTimeout(end, 30)
  # is kept alive by a timer of a wheel beside an unref wheel
  new TimerWheel({ unref: true }).schedule(() => {}, 60_000); new TimerWheel().schedule(end, 30)
  # is not kept alive by an id of an unref wheel
  new TimerWheel({ unref: true }).schedule(late, 60_000)
  # is not kept alive by a far id of an unref wheel
  new TimerWheel({ unref: true }).schedule(late, 2 ** 45)
  # is not kept alive by masses of an unref wheel
  const wheel = new TimerWheel({ unref: true, maxPending: 1e6 })
  for (let i = 0; i < 2000; i++) wheel.cancel(wheel.schedule(late, 60_000 + wheel.schedule(late, 60_000) % 7))
  # is not kept alive by a rescheduled id of an unref wheel
  const wheel = new TimerWheel({ unref: true })
  const id = wheel.schedule(late, 5)
  wheel.reschedule(id, 60_000)
  wheel.reschedule(id, 60_000.5)
  # is not kept alive by a timer that was unreferenced by an object that inherits from it
  Object.create(setTimeout(late, 60_000)).unref()
  # is not kept alive by a timer that has run and was unreferenced by a proxy
  const timeout = setTimeout(() => {}, 5); new Proxy(timeout, {}).unref()
  globalThis.setTimeout(() => timeout.refresh(60_000), 20)
  # is not kept alive by a wheel stopped in a callback
  const wheel = new TimerWheel()
  wheel.setInterval(late, 60_000)
  wheel.schedule(() => wheel.stop(), 5)
  # is not kept alive by a timer of another wheel that was unreferenced later
  const timeout = new TimerWheel().setTimeout(late, 60_000)
  globalThis.setTimeout(() => timeout.unref(), 5)
  # is not kept alive by groups whose members are gone
  const group = new TimerWheel().group(late, 60_000)
  group.delete(group.add(1)); group.add(2); group.clear()
  # is not kept alive by a stopped wheel with a deadline that 64 bits of nanoseconds, 584 years, cannot hold
  // In a loop that wakes all the time, no virtual time passes.
  const far = new TimerWheel({ tick: 100_000 })
  far.schedule(late, 18_446_743_900_000)
  globalThis.setTimeout(() => far.stop(), 25_000)
  # is not kept alive by intervals without references whose callbacks take longer than their delays
  // The last program, because such intervals run on while a later one waits.
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
  for (let i = 0; i < 3; i++) setInterval(() => busyWait(7), 1).unref()
  setTimeout(() => busyWait(3), 2)`)

describe.each(ENTRIES)('%s', (entry) => {
  const it = printsInOneProcess({
    prelude: `
      import { setInterval, setTimeout, TimerWheel } from '${entry}'
      const [end, late] = ['end', 'late'].map((text) => () => console.log(text))
      let waited = performance.now()`,
    after: `
      if (performance.now() - waited > 30_000) console.log('it has waited')
      waited = performance.now()`,
    env: virtualClock(),
  })

  for (const [title, program] of PROGRAMS) {
    it(title, ...(title.startsWith('is kept alive') ? ['end'] : []))(program)
  }
})
