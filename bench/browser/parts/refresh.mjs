import { formatCount } from '../../report/format.mjs'
import { contendersOf } from '../contenders.mjs'
import { cheaper, measureInTurn } from '../part.mjs'

/** @type {import('../part.mjs').Part} */
export default {
  name: 'refresh',
  metrics: [{ key: 'refresh', label: 'refresh', unit: 'ns', digits: 1 }],

  describe: ({ timers }) => ({
    title: `In pages: refresh at random over ${formatCount(timers)} pending`,
    note:
      `${formatCount(timers)} timers of 60 s are pending. Each is refreshed once, in random order, 10,000 in a task. ` +
      'Setting them is not timed. Native timers of a page have no refresh, so they are cleared and set again. Handles are ' +
      'refreshed, numbers are rescheduled.',
  }),

  async measure(theatre, settings, progress) {
    const options = { count: settings.timers, batch: 10_000, delay: 60_000 }
    const rows = []
    for (const context of /** @type {const} */ (['window', 'worker'])) {
      const stage = await theatre.stage({ context })
      rows.push(
        ...(await measureInTurn(
          contendersOf(theatre.engine, context, ['native', 'handles', 'numbers']),
          {
            name: `${theatre.engine}, ${context}: refresh`,
            turns: settings.turns ?? 9,
            warmUp: true,
            progress,
          },
          async ({ name }) => ({
            refresh: ((await stage.run(name, 'refreshAll', options)) * 1e6) / options.count,
          }),
        )),
      )
      await stage.close()
    }
    return rows
  },

  bars: (rows) => cheaper(rows, 'refresh', 5, 'refresh'),
}
