import { formatCount } from '../../report/format.mjs'
import { contendersOf } from '../contenders.mjs'
import { barsOf, measureInTurn } from '../part.mjs'

/** Milliseconds. All timers can be set in this time. */
const DELAY = 2_000
/** Milliseconds: a frame at 60 frames a second. */
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
      `A page is busy while ${formatCount(timers)} timers of 2 s become due, and then runs them. The page sends itself one ` +
      'message after the other. Longest task: the longest time between two of these messages, so that several tasks count ' +
      'as one if no other task can run between them. Longest frame: the longest time between two calls of ' +
      'requestAnimationFrame.',
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
