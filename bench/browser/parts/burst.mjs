import { formatCount } from '../../report/format.mjs'
import { contendersOf } from '../contenders.mjs'
import { barsOf, measureInTurn } from '../part.mjs'

/** Milliseconds, in which all can be set. */
const DELAY = 2_000
/** Milliseconds: a frame of 60 in a second. */
const LONGEST = 16

/** @type {import('../part.mjs').Part} */
export default {
  name: 'burst',
  metrics: [
    { key: 'longest', label: 'longest task', unit: 'ms', digits: 1 },
    { key: 'frame', label: 'longest frame', unit: 'ms', digits: 1 },
    { key: 'total', label: 'until all have run', unit: 'ms', digits: 1 },
  ],

  describe: ({ timers }) => ({
    title: `In pages: a burst of ${formatCount(timers)} due timers`,
    note:
      `${formatCount(timers)} timers of 2 s are overdue when a page that was busy meanwhile comes to run them. Longest task: the longest time in which a page that sends ` +
      'itself one message after the other got none, so that a row of tasks which lets nothing else in counts as one. Longest ' +
      'frame: between two calls of requestAnimationFrame.',
  }),

  async measure(theatre, settings, progress) {
    const stage = await theatre.stage()
    const rows = await measureInTurn(
      contendersOf(theatre.engine, 'window', ['native', 'handles', 'numbers']),
      { name: `${theatre.engine}: burst`, turns: settings.turns ?? 9, progress },
      ({ name }) => stage.run(name, 'burst', { count: settings.timers, batch: 10_000, delay: DELAY }),
    )
    await stage.close()
    return rows
  },

  bars: (rows) =>
    barsOf(rows, ({ values: { longest } }) => ({
      what: 'longest task in a burst',
      figure: `${longest.median.toFixed(1)} ms`,
      wanted: `at most ${LONGEST} ms`,
      reached: longest.median <= LONGEST,
    })),
}
