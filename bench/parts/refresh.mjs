import { collectGarbage, inTurn, randomNumbers, shuffledIndices, withOwnLoops } from '../harness.mjs'
import { formatCount } from '../report.mjs'

const batch = 1_000
const delay = 60_000

/** @type {import('../harness.mjs').Part} */
export default {
  name: 'refresh',
  metrics: [{ key: 'refresh', label: 'refresh', unit: 'ns', digits: 1 }],

  describe: ({ timers }) => ({
    title: `Refresh at random over ${formatCount(timers)} pending`,
    note:
      `${formatCount(timers)} timers of 60 s are pending; each is refreshed once, in random order, ` +
      '1,000 per loop turn. Setting and clearing them is not timed. Numbers are rescheduled.',
  }),

  async run(contenders, settings, progress) {
    // A refresh captures no async context: handles without it would be the same rows again.
    const compared = contenders.filter(({ api }) => api !== 'handlesWithoutContext')
    const prepared = await withOwnLoops(compared)
    const order = shuffledIndices(settings.timers, randomNumbers(1))
    const turns = settings.turns ?? 7
    return inTurn(compared, { name: this.name, turns, warmUp: true, progress }, async (contender) => {
      const { timers, loops } = /** @type {any} */ (prepared.get(contender))
      collectGarbage()
      const elapsed = await loops.refreshAll(timers, { order, batch, delay, settle: collectGarbage })
      return { refresh: (elapsed * 1e6) / order.length }
    })
  },
}
