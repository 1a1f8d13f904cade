/** Intervals that do not drift beside the package `driftless`, and long delays beside `long-timeout`, in virtual time. */
import { beforeAll, describe, expect, it } from '@jest/globals'
import { fineClock, virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

let folder: string
beforeAll(async () => {
  const script = `import { installed } from './.tooling/runtimes.mjs'
    console.log(await installed('timers', 'driftless@2.0.3', 'long-timeout@0.1.1'))`
  folder = (await run(script)).lines.at(-1)!
})

/**
 * Runs a program, and returns what it prints as JSON. V8 tries to reduce the memory of an idle program every eight seconds until its other
 * threads have helped: on the virtual clock that can be millions of times in a month, in which these threads have no time to help.
 */
async function outcomeOf<T>(entry: string, program: string, env: Record<string, string>): Promise<T> {
  const script = `
    import { createRequire } from 'node:module'
    import * as ours from '${entry}'
    const require = createRequire('${folder}/')
    ${program}`
  const { lines, ...outcome } = await run(script, ['--no-memory-reducer'], env)
  expect(outcome).toEqual(CLEAN)
  return JSON.parse(lines[0]!)
}

/** Starts an interval of 100 ms in three ways, one after the other. Prints the times of its runs, from the first. */
const INTERVALS = `
  const { setDriftlessInterval, clearDriftless } = require('driftless')
  const wheel = new ours.TimerWheel()
  const now = () => performance.now()
  const work = (ms) => { for (const end = now() + ms; now() < end;); }
  const times = (start, clear) => new Promise((resolve) => {
    const times = []
    const timer = start(() => {
      times.push(now())
      work([3.3, 41, 0][times.length % 3])
      if (times.length < 200) return
      clear(timer)
      resolve(times.map((time) => time - times[0]))
    })
  })
  console.log(JSON.stringify({
    driftless: await times((run) => setDriftlessInterval(run, 100), clearDriftless),
    steady: await times((run) => wheel.setInterval(run, { delay: 100, drift: false }), wheel.clearInterval),
    drifting: await times((run) => wheel.setInterval(run, 100), wheel.clearInterval),
  }))`

describe.each(ENTRIES)('%s', (entry) => {
  it('keeps an interval to its times over many periods with work, as driftless does', async () => {
    type Times = number[]
    type Outcome = Record<'driftless' | 'steady' | 'drifting', Times>
    const { driftless, steady, drifting } = await outcomeOf<Outcome>(entry, INTERVALS, fineClock())
    const median = (values: Times): number => [...values].sort((a, b) => a - b)[values.length >> 1]!
    /** By how much the last runs are later in their periods than the first. A single run may be late for another reason. */
    const drift = (times: Times): number => {
      const errors = times.map((time, k) => time - 100 * k)
      return median(errors.slice(-50)) - median(errors.slice(0, 50))
    }
    expect(Math.abs(drift(driftless))).toBeLessThan(2)
    expect(Math.abs(drift(steady))).toBeLessThan(2)
    expect(drift(drifting)).toBeGreaterThan(10)
  })

  it('tells of the runs that it missed while the process did not run', async () => {
    const program = `
      const wheel = new ours.TimerWheel()
      const start = performance.now()
      const ran = []
      const timer = wheel.setInterval((missed) => {
        ran.push([Math.round((performance.now() - start) / 10) * 10, missed])
        if (ran.length < 6) return
        timer.close()
        console.log(JSON.stringify(ran))
      }, { delay: 100, drift: false })`
    // From the start of the clock. The process takes none of its time to start.
    const ran = await outcomeOf<[number, number][]>(entry, program, virtualClock([[250, 540]]))
    expect(ran.map(String)).toEqual(['100,0', '200,0', '540,2', '600,0', '700,0', '800,0'])
  })
})

it.each(ENTRIES)('waits for months, as long-timeout does: %s', async (entry) => {
  const program = `
    const long = require('long-timeout')
    const DAY = 24 * 3_600_000
    const start = performance.now()
    const ran = []
    const note = (name) => ran.push([name, performance.now() - start])
    ours.setLongTimeout(note, 60 * DAY, 'ours')
    long.setTimeout(() => note('long-timeout'), 60 * DAY)
    const refreshed = ours.setLongTimeout(note, 40 * DAY, 'refreshed')
    ours.setTimeout(() => refreshed.refresh(), 20 * DAY)
    long.clearTimeout(long.setTimeout(note, 50 * DAY, 'cleared'))
    ours.clearTimeout(ours.setLongTimeout(note, 50 * DAY, 'cleared'))
    ours.setLongTimeout(note, 400 * DAY, 'unref').unref()
    ours.setLongTimeout(note, 300 * DAY, 'last')
    process.on('exit', () => console.log(JSON.stringify(ran)))`
  const ran = await outcomeOf<[name: string, time: number][]>(entry, program, virtualClock())
  const days = ran.map(([name, time]) => `${name} ${Math.round(time / 3_600_000) / 24}`)
  expect(days.sort()).toEqual(['last 300', 'long-timeout 60', 'ours 60', 'refreshed 60'])
  for (const [name, time] of ran) {
    const late = time - (name === 'last' ? 300 : 60) * 24 * 3_600_000
    expect(late).toBeLessThan(1000)
    if (name !== 'long-timeout') expect(late).toBeGreaterThanOrEqual(0)
  }
})
