import { fewerTurns, inTurn } from '../harness.mjs'
import { runChild } from '../processes.mjs'
import { formatCount } from '../report.mjs'

/** @type {import('../harness.mjs').Part} */
export default {
  name: 'hold',
  metrics: [
    { key: 'resident', label: 'process', unit: 'bytes' },
    { key: 'heap', label: 'JS heap', unit: 'bytes' },
  ],

  describe: ({ timers }) => ({
    title: 'Hold: memory per pending timer',
    note:
      `${formatCount(timers)} timers of 30 s, one shared callback, handles not kept by the program; ` +
      "each contender in a process of its own, after a garbage collection. JS heap is V8's used heap " +
      'and the memory it counts outside (array buffers included); process is the resident set, which ' +
      'also holds what C++ has allocated.',
  }),

  run(contenders, settings, progress) {
    const turns = { turns: settings.turns ?? (settings.full ? 7 : 3), fewer: fewerTurns(settings) }
    return inTurn(contenders, { name: 'hold', ...turns, progress }, async ({ id }) => {
      const { resident, heap } = await runChild('hold.mjs', [id, settings.timers])
      return { resident, heap }
    })
  },
}
