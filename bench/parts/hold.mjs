import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'hold',
  metrics: [
    { key: 'resident', label: 'process', unit: 'bytes' },
    { key: 'heap', label: 'in use', unit: 'bytes' },
  ],

  describe: ({ timers }) => ({
    title: 'Hold: memory per pending timer',
    note:
      `${formatCount(timers)} timers of 30 s, one shared callback, handles not kept by the program; ` +
      'each contender in a process of its own, after a garbage collection. Process is the growth of the ' +
      "resident set; in use leaves out what V8's heap holds in reserve: its used part, and all that is " +
      'resident outside it.',
  }),

  run(contenders, settings, progress) {
    const turns = { turns: settings.turns ?? (settings.full ? 7 : 3), fewer: fewerTurns(settings) }
    return inTurn(contenders, { name: 'hold', ...turns, progress }, async ({ id }) => {
      const { resident, heap } = await runChild('hold.mjs', [id, settings.timers])
      return { resident, heap }
    })
  },
}
