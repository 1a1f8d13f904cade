/**
 * The addon runs the timers of a tick as soon as all of them are due, if it knows that time, instead of at the end of the
 * tick. Time is virtual, and each reading of the clock takes 20 microseconds.
 */
import { describe, expect, it } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { run as runInRealTime } from './child.js'

const RUNS = 60
/** Runs that are not measured: in them Node loads and compiles code, and reads the clock many times. */
const FIRST_RUNS = 10

/** Returns the milliseconds that a program prints. */
async function run(body: string): Promise<number[]> {
  const script = `
    import { clearInterval, setInterval, setTimeout, TimerWheel } from 'timeout-wheel/native'
    const now = () => performance.now()
    const times = [now()]
    const between = () => times.slice(1).map((time, i) => time - times[i])
    const end = () => console.log(between().join('\\n'))
    const note = () => { times.push(now()); return times.length <= ${RUNS} }
    ${body}`
  const { code, lines, stderr } = await runInRealTime(script, [], fineClock())
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return lines.map(Number)
}

describe('a repeated timer', () => {
  it.each([
    ['an interval', 10, `const interval = setInterval(() => note() || (clearInterval(interval), end()), 10)`],
    [
      'a chain of timeouts',
      10,
      `const next = () => note() ? setTimeout(next, 10) : end(); setTimeout(next, 10)`,
    ],
    [
      'a chain of numbers',
      10,
      `const wheel = new TimerWheel(); const next = () => note() ? wheel.schedule(next, 10) : end(); wheel.schedule(next, 10)`,
    ],
    [
      'an interval of the shortest delay',
      1,
      `const interval = setInterval(() => note() || (clearInterval(interval), end()), 1)`,
    ],
    [
      'a chain beside long timers',
      10,
      `
      for (let i = 0; i < 100; i++) setTimeout(() => {}, 1_000 + i).unref()
      const next = () => note() ? setTimeout(next, 10) : end(); setTimeout(next, 10)`,
    ],
  ])('loses no millisecond per run: %s of %d ms', async (_name, delay, body) => {
    const times = await run(body)
    expect(times).toHaveLength(RUNS)
    const steady = times.slice(FIRST_RUNS)
    const sum = steady.reduce((a, b) => a + b)
    expect(sum / steady.length).toBeLessThan(delay + 0.5)
    for (const time of steady) expect(time).toBeGreaterThanOrEqual(delay)
  })
})
