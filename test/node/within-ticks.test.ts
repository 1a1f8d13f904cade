/**
 * The addon runs the timers of a tick as soon as all of them are due, if it knows that time, instead of at the end of the
 * tick. Time is virtual, and each reading of the clock takes 20 microseconds.
 */
import { expect, it } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { CLEAN } from './backends.js'
import { inOneProcess } from './one-process.js'

const RUNS = 60
/** Runs that are not measured: in them Node loads and compiles code, and reads the clock many times. */
const FIRST_RUNS = 10

const interval = (delay: number): string =>
  `const interval = setInterval(() => note() || (clearInterval(interval), end()), ${delay})`
const chain = (set: string): string =>
  `const next = () => note() ? ${set}(next, 10) : end(); ${set}(next, 10)`

const CASES: [name: string, delay: number, program: string][] = [
  ['an interval', 10, interval(10)],
  ['an interval of the shortest delay', 1, interval(1)],
  ['a chain of timeouts', 10, chain('setTimeout')],
  ['a chain of numbers', 10, `const wheel = new TimerWheel(); ${chain('wheel.schedule')}`],
  [
    'a chain beside long timers',
    10,
    `for (let i = 0; i < 100; i++) setTimeout(() => {}, 1_000 + i).unref(); ${chain('setTimeout')}`,
  ],
]
const outcomeOf = inOneProcess({
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
  const { lines, ...rest } = await outcomeOf(program)
  expect(rest).toEqual(CLEAN)
  expect(lines).toHaveLength(RUNS)
  const steady = lines.slice(FIRST_RUNS).map(Number)
  expect(steady.reduce((a, b) => a + b) / steady.length).toBeLessThan(delay + 0.5)
  // An interval counts from the start of its callback, but the time is noted later: after one reading more, or several.
  if (name.includes('chain')) for (const time of steady) expect(time).toBeGreaterThanOrEqual(delay)
})
