import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** Mebibytes. Native timers need so much, garbage included. */
const heap = 8_192

/** @param {import('../runner/harness.mjs').Settings} settings */
const countOf = ({ timers }) => 10 * timers

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'ten-million',
  metrics: [
    { key: 'whole', label: 'whole process', unit: 'MB' },
    { key: 'resident', label: 'per timer', unit: 'bytes' },
  ],

  describe: (settings) => ({
    title: `Hold ${formatCount(countOf(settings))}: the whole process`,
    note:
      'As in the part "hold", with ten times as many timers. Only native timers and numbers are compared. The whole ' +
      'process is its resident set, which includes Node itself.',
  }),

  run(contenders, settings, progress) {
    const compared = contenders.filter(({ api, group }) => group === 'native' || api === 'numbers')
    const turns = { turns: settings.turns ?? 7, fewer: fewerTurns(settings) }
    return inTurn(compared, { name: 'ten-million', ...turns, progress }, async ({ id }) => {
      const { whole, resident } = await runChild('hold.mjs', [id, countOf(settings)], { heap })
      return { whole, resident }
    })
  },
}
