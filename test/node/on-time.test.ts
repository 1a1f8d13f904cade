/** When timers run, to fractions of a millisecond. A delay counts from its own call, whatever else the turn does. */
import { fineClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'
import { inOneProcess } from './one-process.js'

/** The number of operations in a turn with exact times, and the number of later ones that work after them may delay. */
const EXACT = 8
const MOST_LATE = 63
/** Milliseconds: one tick, and one more (two with Node's timers) until the event loop wakes. */
const LATEST = { 'timeout-wheel/native': 2, 'timeout-wheel/wasm': 3 }

/** Programs that show how late timers were. */
const PROGRAMS = {
  'a timer of 500 ms after 600 ms of work': 'setTimeout(() => show([now() - 600]), 500); work(600)',
  'the last of 200 timers of 500 ms': `
    for (let i = 0; i < 199; i++) setTimeout(() => {}, 500)
    const set = now()
    setTimeout(() => show([now() - set - 500]), 500)`,
  'an earlier deadline before a timer that was set later': `
    const ran = []
    setTimeout(() => ran.push(now() - 300), 300)
    work(250)
    const set = now()
    setTimeout(() => show([ran[0] ?? -1, now() - set - 100]), 100)`,
  // Both are due at one wake-up, and some operations of the second wheel are in its queue when its turn comes.
  'the timers that a callback sets on another wheel after 50 ms of work': `
    const second = new TimerWheel()
    const first = new TimerWheel()
    const late = []
    const set = (from) => second.setTimeout(() => late.push(now() - from - 30) === 12 && show(late), 30)
    second.setTimeout(() => {}, 9)
    first.setTimeout(() => {
      work(50)
      for (let i = 0; i < 12; i++) set(now())
    }, 10)
    work(20)`,
}
/** Operations on each of 200 timers of 1,000 ms. */
const OPERATIONS = {
  set: 'wheel.schedule(ran, 1_000, i)',
  refreshed: 'handles[i].refresh()',
  rescheduled: 'wheel.reschedule(ids[i], 1_000)',
  'set amid cleared ones':
    'if (i < 100) clearTimeout(wheel.setTimeout(ran, 1_000)); due[i] = now() + 1_000; wheel.schedule(ran, 1_000, i)',
}
const manyOf = (operation: string): string => `
  const wheel = new TimerWheel({ budget: Infinity })
  const late = []
  const due = []
  let count = 0
  const ran = (i) => {
    late[i] = now() - due[i]
    if (++count === 200) show(late)
  }
  const all = (set) => Array.from({ length: 200 }, (_, i) => set(i))
  const handles = ${operation.includes('handles')} && all((i) => wheel.setTimeout(ran, 1_000, i))
  const ids = ${operation.includes('ids')} && all((i) => wheel.schedule(ran, 1_000, i))
  setTimeout(() => {
    all((i) => {
      due[i] = now() + 1_000
      ${operation}
      work(1)
    })
    work(300)
  }, 10)`

describe.each(ENTRIES)('%s', (entry) => {
  const latest = LATEST[entry]
  const outcomeOf = inOneProcess({
    prelude: `
      import { clearTimeout, setTimeout, TimerWheel } from '${entry}'
      // The first timer of a program takes some milliseconds to set.
      clearTimeout(setTimeout(() => {}, 1))
      let start = performance.now()
      const now = () => performance.now() - start
      const work = (ms) => { for (const end = now() + ms; now() < end;); }
      const show = (late) => console.log(JSON.stringify(late))`,
    programs: [...Object.values(PROGRAMS), ...Object.values(OPERATIONS).map(manyOf)],
    before: 'start = performance.now()',
    env: { ...fineClock(), TIMEOUT_WHEEL_READ_NS: '2000' },
  })
  const latenessOf = async (program: string): Promise<number[]> => {
    const outcome = await outcomeOf(program)
    expect(outcome).toMatchObject(CLEAN)
    return JSON.parse(outcome.lines[0]!)
  }

  it.each(Object.entries(PROGRAMS))('runs on time %s', async (_title, program) => {
    const late = await latenessOf(program)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...late)).toBeLessThan(latest)
  })

  it.each(Object.entries(OPERATIONS))(
    'runs the first timers of a turn that are %s within one tick, and few of the others later',
    async (kind, operation) => {
      const late = await latenessOf(manyOf(operation))
      expect(late).toHaveLength(200)
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
      // A cleared timer counts as two operations.
      const exact = kind === 'set amid cleared ones' ? Math.floor(EXACT / 3) : EXACT
      expect(Math.max(...late.slice(0, exact))).toBeLessThan(latest)
      expect(late.filter((ms) => ms >= latest).length).toBeLessThanOrEqual(MOST_LATE)
    },
  )

  // Node prints a warning if a delay is negative.
  it('sets no timer of Node to a time before now if the process pauses at each reading of the clock', async () => {
    const program = `
      const { hrtime } = process
      let pauses = 0n
      process.hrtime = () => {
        const time = hrtime.bigint() + (pauses += 7_000_000n)
        return [Number(time / 1_000_000_000n), Number(time % 1_000_000_000n)]
      }
      const { clearTimeout, setTimeout } = await import('${entry}')
      for (let delay = 1; delay <= 50; delay++) {
        const timer = setTimeout(() => {}, delay)
        await new Promise(setImmediate)
        clearTimeout(timer)
      }`
    expect(await run(program)).toEqual({ ...CLEAN, lines: [] })
  })
})

const RUNS = 60
/** Runs that are not measured: in them Node loads and compiles code, and reads the clock many times. */
const FIRST_RUNS = 10

const interval = (delay: number): string =>
  `const interval = setInterval(() => note() || (clearInterval(interval), end()), ${delay})`
const chain = (set: string): string =>
  `const next = () => note() ? ${set}(next, 10) : end(); ${set}(next, 10)`

const CASES: [name: string, delay: number, program: string][] = [
  ['an interval', 10, interval(10)],
  ['a chain of timeouts', 10, chain('setTimeout')],
  ['a chain of numbers', 10, `const wheel = new TimerWheel(); ${chain('wheel.schedule')}`],
]
const outcomeOfCase = inOneProcess({
  prelude: `
    import { clearInterval, setInterval, setTimeout, TimerWheel } from 'timeout-wheel/native'
    const now = () => performance.now()
    const times = []
    const note = () => { times.push(now()); return times.length <= ${RUNS} }
    const end = () => console.log(times.splice(0).map((time, i, all) => time - all[i - 1]).slice(1).join('\\n'))`,
  programs: CASES.map(([, , program]) => program),
  env: fineClock(),
})

it.each(CASES)('loses no millisecond per run: %s of %d ms', async (name, delay, program) => {
  const { lines, ...rest } = await outcomeOfCase(program)
  expect(rest).toEqual(CLEAN)
  expect(lines).toHaveLength(RUNS)
  const steady = lines.slice(FIRST_RUNS).map(Number)
  expect(steady.reduce((a, b) => a + b) / steady.length).toBeLessThan(delay + 0.5)
  // An interval counts from the start of its callback, but the time is noted later: after one reading more, or several.
  if (name.includes('chain')) for (const time of steady) expect(time).toBeGreaterThanOrEqual(delay)
})
