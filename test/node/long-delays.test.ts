/** Delays of months on the event loop, in virtual time. */
import { expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/**
 * V8 tries to reduce the memory of an idle program every eight seconds until its other threads have helped: on the virtual clock that can
 * be millions of times in a month, in which these threads have no time to help.
 */
const FLAGS = ['--no-memory-reducer']

it.each(ENTRIES)('waits for months: %s', async (entry) => {
  const program = `
    import * as ours from '${entry}'
    const DAY = 24 * 3_600_000
    const start = performance.now()
    const note = (name, due) => {
      const late = performance.now() - start - due * DAY
      console.log(name, late >= 0 && late < 1_000)
    }
    ours.setLongTimeout(note, 60 * DAY, 'set', 60)
    const refreshed = ours.setLongTimeout(note, 40 * DAY, 'refreshed', 60)
    ours.setTimeout(() => refreshed.refresh(), 20 * DAY)
    ours.clearTimeout(ours.setLongTimeout(note, 50 * DAY, 'cleared'))
    ours.setLongTimeout(note, 400 * DAY, 'unref').unref()
    ours.setLongTimeout(note, 300 * DAY, 'last', 300)`
  const { lines, ...outcome } = await run(program, FLAGS, virtualClock())
  expect(outcome).toEqual(CLEAN)
  expect(lines.sort()).toEqual(['last true', 'refreshed true', 'set true'])
})
