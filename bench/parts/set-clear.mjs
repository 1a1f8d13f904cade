import { collectGarbage, inTurn, withOwnLoops } from '../harness.mjs'

const count = 100_000
const batch = 1_000
const delay = 30_000

/** @type {import('../harness.mjs').Part} */
export default {
  name: 'set-clear',
  metrics: [{ key: 'pair', label: 'set + clear', unit: 'ns', digits: 1 }],

  describe: () => ({
    title: 'Set and clear: a request timeout',
    note:
      'Every loop turn sets 1,000 timers of 30 s and clears the 1,000 of the turn before, 100,000 in ' +
      'all; the loop turns are part of the time. No callback runs.',
  }),

  async run(contenders, settings, progress) {
    const prepared = await withOwnLoops(contenders)
    const turns = settings.turns ?? 15
    return inTurn(contenders, { name: this.name, turns, warmUp: true, progress }, async (contender) => {
      const { timers, loops } = /** @type {any} */ (prepared.get(contender))
      collectGarbage()
      const elapsed = await loops.setAndClear(timers, { count, batch, delay })
      return { pair: (elapsed * 1e6) / count }
    })
  },
}
