/**
 * The delay of a timer counts from its own call, whatever the program does before and after in the same turn. The clock
 * moves only when it is read.
 */
import { describe, expect, it } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/** The number of operations in a turn with exact times, and the number of later ones that work after them may delay. */
const EXACT = 32
const MOST_LATE = 63
/** Milliseconds: one tick, and one more (two with Node's timers) until the event loop wakes. */
const LATEST = { 'timeout-wheel/native': 2, 'timeout-wheel/wasm': 3 }
/** The virtual clock of the programs: nanoseconds that pass at each reading. */
const CLOCK = { ...fineClock(), TIMEOUT_WHEEL_READ_NS: '2000' }

async function program<Result>(entry: string, body: string): Promise<Result> {
  const script = `
    import { TimerWheel, clearTimeout, setTimeout } from '${entry}'
    // The first timer of a program takes some milliseconds to set.
    clearTimeout(setTimeout(() => {}, 1))
    const start = performance.now()
    const now = () => performance.now() - start
    const work = (ms) => { for (const end = now() + ms; now() < end;); }
    const show = (value) => console.log(JSON.stringify(value))
    ${body}`
  const outcome = await run(script, [], CLOCK)
  expect(outcome).toMatchObject(CLEAN)
  return JSON.parse(outcome.lines[0]!) as Result
}

describe.each(ENTRIES)('%s', (entry) => {
  const latest = LATEST[entry]

  it('runs a timer of 500 ms right after 600 ms of work', async () => {
    const ran = await program<number>(entry, 'setTimeout(() => show(now()), 500); work(600)')
    expect(ran).toBeLessThan(600 + latest)
  })

  it('runs a timer of 500 ms on time after 200 ms of work', async () => {
    const ran = await program<number>(entry, 'setTimeout(() => show(now()), 500); work(200)')
    expect(ran).toBeGreaterThanOrEqual(500)
    expect(ran).toBeLessThan(500 + latest)
  })

  it('runs the last of 200 timers of 500 ms on time', async () => {
    const ran = await program<number>(
      entry,
      `for (let i = 0; i < 199; i++) setTimeout(() => {}, 500)
       const set = now()
       setTimeout(() => show(now() - set), 500)`,
    )
    expect(ran).toBeGreaterThanOrEqual(500)
    expect(ran).toBeLessThan(500 + latest)
  })

  it('runs an earlier deadline first, before a timer that was set later', async () => {
    const ran = await program<[string, number][]>(
      entry,
      `const ran = []
       setTimeout(() => ran.push(['A', now()]), 300)
       work(250)
       setTimeout(() => show([...ran, ['B', now()]]), 100)`,
    )
    expect(ran.map(([name]) => name)).toEqual(['A', 'B'])
    expect(ran[0]![1]).toBeLessThan(300 + latest)
    expect(ran[1]![1]).toBeLessThan(351 + latest)
  })

  it.each(['set', 'refreshed', 'rescheduled', 'set amid cleared ones'])(
    'runs the first timers of a turn that are %s within one tick, and few of the others later',
    async (kind) => {
      const late = await program<number[]>(
        entry,
        `
        const COUNT = 200
        const wheel = new TimerWheel({ budget: Infinity })
        const late = []
        const due = []
        const ran = (i) => {
          late[i] = now() - due[i]
          if (++count === COUNT) show(late)
        }
        let count = 0
        const handles = []
        const ids = []
        for (let i = 0; i < COUNT; i++) {
          if ('${kind}' === 'refreshed') handles.push(wheel.setTimeout(ran, 1_000, i))
          if ('${kind}' === 'rescheduled') ids.push(wheel.schedule(ran, 1_000, i))
        }
        setTimeout(() => {
          for (let i = 0; i < COUNT; i++) {
            if ('${kind}' === 'set amid cleared ones') {
              if (i < COUNT / 2) clearTimeout(wheel.setTimeout(ran, 1_000))
            }
            due[i] = now() + 1_000
            if ('${kind}' === 'refreshed') handles[i].refresh()
            else if ('${kind}' === 'rescheduled') wheel.reschedule(ids[i], 1_000)
            else wheel.schedule(ran, 1_000, i)
            work(1)
          }
          work(300)
        }, 10)`,
      )
      expect(late).toHaveLength(200)
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
      // A cleared timer counts as two operations.
      const exact = kind === 'set amid cleared ones' ? Math.floor(EXACT / 3) : EXACT
      expect(Math.max(...late.slice(0, exact))).toBeLessThan(latest)
      expect(late.filter((ms) => ms >= latest).length).toBeLessThanOrEqual(MOST_LATE)
    },
  )
})
