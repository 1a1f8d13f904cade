import { contendersOf } from '../contenders.mjs'
import { cheaper, measureInTurn } from '../part.mjs'

const options = { count: 200_000, batch: 10_000, delay: 30_000 }

/** @type {import('../part.mjs').Part} */
export default {
  name: 'set-clear',
  metrics: [
    { key: 'atOnce', label: 'cleared at once', unit: 'ns', digits: 1 },
    { key: 'later', label: '10,000 in flight', unit: 'ns', digits: 1 },
  ],

  describe: () => ({
    title: 'In pages: set and clear',
    note:
      'A timer of 30 s is set and cleared. At once: it is cleared before the next is set. In flight: each task sets 10,000 ' +
      'and clears the 10,000 of the task before. 200,000 timers. The messages that start the tasks are part of the time. ' +
      'No callback runs.',
  }),

  async measure(theatre, settings, progress) {
    const rows = []
    for (const context of /** @type {const} */ (['window', 'worker'])) {
      const stage = await theatre.stage({ context })
      rows.push(
        ...(await measureInTurn(
          contendersOf(theatre.engine, context, ['native', 'handles', 'numbers']),
          {
            name: `${theatre.engine}, ${context}: set-clear`,
            turns: settings.turns ?? 11,
            warmUp: true,
            progress,
          },
          async ({ name }) => ({
            atOnce: ((await stage.run(name, 'setAndClearAtOnce', options)) * 1e6) / options.count,
            later: ((await stage.run(name, 'setAndClearLater', options)) * 1e6) / options.count,
          }),
        )),
      )
      await stage.close()
    }
    return rows
  },

  bars: (rows) => [
    ...cheaper(rows, 'atOnce', 5, 'set and clear at once'),
    ...cheaper(rows, 'later', 5, 'set and clear, 10,000 in flight'),
  ],
}
