/**
 * A process stays alive exactly while timers with a reference are pending. Whether a timer has a reference is decided by its own option or
 * method if the program used one, and otherwise by the option `unref` of its wheel. Signals and maps have no reference by default.
 */
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { prints, printsInOneProcess } from './prints.js'

const METHODS = ['.unref()', '.ref()'] as const
const UNREF = ['{ unref: true }', '{ unref: false }'] as const
const REF = ['{ ref: false }', '{ ref: true }'] as const

/** How each feature sets a timer with an option, and the options that let the process end and keep it alive. */
const FEATURES: [name: string, set: (option: string) => string, options: readonly [string, string]][] = [
  ['handle', (option) => `wheel.setTimeout(() => {}, MINUTE)${option}`, METHODS],
  ['interval', (option) => `wheel.setInterval(function () { this.close() }, MINUTE)${option}`, METHODS],
  ['group', (option) => `wheel.group(() => {}, MINUTE, ${option}).add(1)`, UNREF],
  ['map', (option) => `new TimeoutMap({ ttl: MINUTE, wheel, ...${option || '{}'} }).set('a', 1)`, UNREF],
  ['signal', (option) => `wheel.signal(MINUTE, ${option})`, UNREF],
  ['promise', (option) => `wheel.promises.setTimeout(MINUTE, 0, ${option || undefined})`, REF],
  [
    'interval of a promise',
    (option) =>
      `(async () => { for await (const _ of wheel.promises.setInterval(MINUTE, 0, ${option || undefined})) break })()`,
    REF,
  ],
]

const PROGRAMS = `
  # is kept alive by schedule -> end | soon undefined
  new TimerWheel().schedule(end, 30)
  # is kept alive by a handle without a context -> end | soon undefined
  new TimerWheel({ asyncContext: false }).setTimeout(end, 30)
  # is kept alive by a timer that was refreshed after it ran -> end | soon undefined
  const timeout = setTimeout(() => {}, 1)
  process.once('beforeExit', () => { timeout.refresh(20); process.once('beforeExit', end) })
  # is kept alive by a timer beside one unreferenced twice, and beside an unref wheel -> end | soon undefined
  setTimeout(() => {}, 60_000).unref().unref(); new TimerWheel({ unref: true }).schedule(() => {}, 60_000); setTimeout(end, 30)
  # is not kept alive by ids of an unref wheel: near, far, rescheduled, and masses that were cancelled -> soon undefined
  const wheel = new TimerWheel({ unref: true, maxPending: 1e6 })
  for (const delay of [60_000, 2 ** 45]) wheel.schedule(late, delay)
  const id = wheel.schedule(late, 5)
  wheel.reschedule(id, 60_000)
  wheel.reschedule(id, 60_000.5)
  for (let i = 0; i < 2000; i++) wheel.cancel(wheel.schedule(late, 60_000 + wheel.schedule(late, 60_000) % 7))
  # is not kept alive by a wheel stopped in a callback -> soon undefined
  const wheel = new TimerWheel()
  wheel.setInterval(late, 60_000)
  wheel.schedule(() => wheel.stop(), 5)
  # is not kept alive by a wheel stopped after its last timer was cleared and another was set -> soon undefined
  const wheel = new TimerWheel()
  wheel.setTimeout(late, 60_000).close()
  wheel.setTimeout(late, 60_000)
  wheel.stop()
  # is not kept alive by a timer of another wheel that was unreferenced later -> soon undefined
  const timeout = new TimerWheel().setTimeout(late, 60_000)
  globalThis.setTimeout(() => timeout.unref(), 5)
  # is not kept alive by groups whose members are gone -> soon undefined
  const group = new TimerWheel().group(late, 60_000)
  group.delete(group.add(1)); group.add(2); group.clear()
  # is not kept alive by a stopped wheel with a deadline that 64 bits of nanoseconds, 584 years, cannot hold -> soon undefined
  // In a loop that wakes all the time, no virtual time passes.
  const far = new TimerWheel({ tick: 100_000 })
  far.schedule(late, 18_446_743_900_000)
  globalThis.setTimeout(() => far.stop(), 25_000)
  # is not kept alive by intervals without references whose callbacks take longer than their delays -> soon undefined
  // The last program, because such intervals run on while a later one waits.
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
  for (let i = 0; i < 3; i++) setInterval(() => busyWait(7), 1).unref()
  setTimeout(() => busyWait(3), 2)`

describe.each(ENTRIES)('%s', (entry) => {
  const it = printsInOneProcess({
    prelude: `
      import { setInterval, setTimeout, TimeoutMap, TimerWheel } from '${entry}'
      const MINUTE = 60_000
      const [end, late] = ['end', 'late'].map((text) => () => console.log(text))
      let started = performance.now()`,
    after: `
      console.log(performance.now() - started > MINUTE / 2 ? 'late' : 'soon', process.exitCode)
      started = performance.now()`,
    env: virtualClock(),
  })

  for (const isUnref of [true, false]) {
    const wheel = `const wheel = new TimerWheel({ unref: ${isUnref} })`
    /** Whether a timer lets the process end if nothing is said for it. */
    const ends = (name: string): boolean => isUnref || name === 'map' || name === 'signal'
    const ending = FEATURES.map(([name, set, [option]]) => `${set(option)};${ends(name) ? set('') : ''};`)

    it(`
      # lets the process end if all timers on a wheel with unref: ${isUnref} say so -> soon undefined
      ${wheel};
      ${ending.join('')}`)

    for (const [name, set, [, keeps]] of FEATURES) {
      it(`
        # keeps the process alive if a ${name} on a wheel with unref: ${isUnref} says so -> late undefined
        ${wheel};\n${set(keeps)}`)
      if (!ends(name))
        it(`
          # keeps the process alive on a usual wheel: ${name} -> late undefined
          ${wheel};\n${set('')}`)
    }
  }

  it(PROGRAMS)

  prints(`
    # is kept alive by a timer that waits in the queue after many without references -> end
    import { TimerWheel } from '${entry}'
    const wheel = new TimerWheel({ unref: true })
    for (let i = 0; i < 20; i++) wheel.schedule(console.log, 60_000, 'late')
    wheel.group(console.log, 30, { unref: false }).add('end')
    # is not warned of timers that are later than those of Node -> end
    import { TimerWheel } from '${entry}'
    for (let i = 0; i < 99; i++) new TimerWheel({ unref: true }).schedule(console.log, 2 ** 32)
    console.log('end')`)
})
