/** A process can be stopped for weeks: by SIGSTOP, with its container, or with its virtual machine. Timers run in time after that. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { stoppedClock } from '../differential/clock.js'
import { scaled } from '../scale.js'
import { CLEAN, ENTRIES } from './backends.js'
import { runNode } from './child.js'

/** The lengths of the stops, as parts of the time after which ticks wrap. There are eight kinds of stops: see stops.mjs. */
const EACH = scaled(2, 8)
const LENGTHS = [0.2, 0.51, 0.76, 0.98, 1.02, 1.51, 2.3].flatMap((length) => Array<number>(EACH).fill(length))

it.concurrent.each(ENTRIES.flatMap((entry) => [1, 0.05].map((tick) => [entry, tick] as const)))(
  'runs no timer early or late, however long the process was stopped: %s, ticks of %d ms',
  async (entry, tick) => {
    const wrap = 2 ** 32 * tick
    const stops = LENGTHS.map((length, i) => {
      const start = Math.round((i + 1) * 4 * wrap)
      return [start, start + Math.round(length * wrap)] as const
    })
    const program = join(__dirname, 'stops.mjs')
    // The first flag: see long-delays.test.ts.
    const args = ['--no-memory-reducer', '--no-warnings', program, entry, `${tick}`, JSON.stringify(stops)]
    const { lines, ...outcome } = await runNode(args, stoppedClock(stops))
    expect(outcome).toEqual(CLEAN)
    const { count, faults } = JSON.parse(lines[0]!)
    expect(faults).toEqual([])
    expect(count).toBeGreaterThan(LENGTHS.length * 100)
  },
)
