import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** Native's, garbage included, in mebibytes. */
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
      'As in the part "hold", ten times as many: the resident set of the whole process, Node itself included, of numbers ' +
      'and of native timers.',
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
