/** Long delays and intervals that do not drift, on the event loop, in virtual time. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/**
 * Runs a program, and returns what it prints as JSON. V8 tries to reduce the memory of an idle program every eight seconds until its other
 * threads have helped: on the virtual clock that can be millions of times in a month, in which these threads have no time to help.
 */
async function outcomeOf<T>(entry: string, program: string, env: Record<string, string>): Promise<T> {
  const script = `import * as ours from '${entry}'\n${program}`
  const { lines, ...outcome } = await run(script, ['--no-memory-reducer'], env)
  expect(outcome).toEqual(CLEAN)
  return JSON.parse(lines[0]!)
}

describe.each(ENTRIES)('%s', (entry) => {
  it('tells of the runs that an interval missed while the process did not run', async () => {
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

  it('waits for months', async () => {
    const program = `
      const DAY = 24 * 3_600_000
      const start = performance.now()
      const ran = []
      const note = (name) => ran.push([name, performance.now() - start])
      ours.setLongTimeout(note, 60 * DAY, 'set')
      const refreshed = ours.setLongTimeout(note, 40 * DAY, 'refreshed')
      ours.setTimeout(() => refreshed.refresh(), 20 * DAY)
      ours.clearTimeout(ours.setLongTimeout(note, 50 * DAY, 'cleared'))
      ours.setLongTimeout(note, 400 * DAY, 'unref').unref()
      ours.setLongTimeout(note, 300 * DAY, 'last')
      process.on('exit', () => console.log(JSON.stringify(ran)))`
    const ran = await outcomeOf<[name: string, time: number][]>(entry, program, virtualClock())
    const days = ran.map(([name, time]) => `${name} ${Math.round(time / 3_600_000) / 24}`)
    expect(days.sort()).toEqual(['last 300', 'refreshed 60', 'set 60'])
    for (const [name, time] of ran) {
      const late = time - (name === 'last' ? 300 : 60) * 24 * 3_600_000
      expect(late).toBeGreaterThanOrEqual(0)
      expect(late).toBeLessThan(1000)
    }
  })
})
