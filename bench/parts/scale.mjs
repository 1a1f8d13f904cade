import { formatCount } from '../report/format.mjs'
import { toRow } from '../runner/harness.mjs'
import { withOwnProcesses } from '../runner/processes.mjs'

const sizes = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]
/** Ten million timers of a rival need more memory than the other processes leave. */
const rivalsUpTo = 1_000_000
/** Mebibytes. Ten million native timers or handles need so much, garbage included. */
const heap = 10_240

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'scale',
  chart: 'lines',
  metrics: sizes.map((size) => ({ key: `at${size}`, label: formatCount(size), unit: 'ns', digits: 1 })),

  describe: () => ({
    title: 'Flat cost: set and clear amid 100 to 10,000,000 pending',
    note:
      'Timers of random delays of one to two hours are pending. 50,000 timers of random delays are set, and each is ' +
      'cleared at once, 1,000 per loop turn. Each contender has one process for all sizes.',
  }),

  async run(contenders, settings, progress) {
    const compared = contenders.filter(({ id }) => id !== 'wasm-handlesWithoutContext')
    const options = { count: 50_000, batch: 1_000 }
    const turns = settings.turns ?? 7
    /** @type {Map<import('../contenders/index.mjs').Contender, Record<string, number>[]>} */
    const samples = new Map(compared.map((one) => [one, Array.from({ length: turns }, () => ({}))]))
    return withOwnProcesses(
      compared,
      async (ask) => {
        for (const size of sizes.filter((one) => one <= settings.timers * 10)) {
          const able = compared.filter(({ group }) => group !== 'rival' || size <= rivalsUpTo)
          for (const contender of able) {
            progress.show(`scale: ${formatCount(size)} pending`, contender.label)
            await ask(contender, 'growTo', { count: size, batch: 10_000 })
            await ask(contender, 'setAndClearAmid', options)
          }
          for (let turn = 0; turn < turns; turn++) {
            progress.show(`scale: ${formatCount(size)}, turn ${turn + 1} of ${turns}`)
            for (const contender of able) {
              const elapsed = await ask(contender, 'setAndClearAmid', options)
              const sample = /** @type {Record<string, number>[]} */ (samples.get(contender))[turn]
              sample[`at${size}`] = (elapsed * 1e6) / options.count
            }
          }
        }
        return compared.map((contender) => toRow(contender, samples.get(contender) ?? []))
      },
      { heap, patience: 240 },
    )
  },
}
