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
      `${formatCount(timers)} timers of 30 s with one shared callback. The program keeps no handles. Each contender has ` +
      'its own process, and garbage is collected before each reading. Process: the growth of the resident set. In use: ' +
      'the same without the memory that the heap of V8 holds in reserve.',
  }),

  run(contenders, settings, progress) {
    const turns = { turns: settings.turns ?? (settings.full ? 7 : 3), fewer: fewerTurns(settings) }
    return inTurn(contenders, { name: 'hold', ...turns, progress }, async ({ id }) => {
      const { resident, heap } = await runChild('hold.mjs', [id, settings.timers])
      return { resident, heap }
    })
  },
}
