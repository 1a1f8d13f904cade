import { findSuspicions, keepRepeated, NATIVE } from '../cliffs/judge.mjs'
import { figuresOf, measureWorld } from '../cliffs/measure.mjs'
import { formatCliffs } from '../cliffs/table.mjs'
import { keyOf, planLines, worldsOf } from '../cliffs/worlds.mjs'
import { formatCount } from '../report/format.mjs'
import { fewerTurns } from '../runner/harness.mjs'
import { summarize } from '../runner/statistics.mjs'

/**
 * @import { Contender } from '../contenders/index.mjs'
 * @import { Settings } from '../runner/harness.mjs'
 * @import { Measured } from '../cliffs/measure.mjs'
 * @import { Suspicion } from '../cliffs/judge.mjs'
 * @import { Work, World } from '../cliffs/worlds.mjs'
 *
 * @typedef {{ world: World, works: Work[] }} Asked
 */

/**
 * Minutes. After `walk` no further worlds are measured, after `all` no further repetitions.
 *
 * @param {Settings} settings
 */
const limitsOf = ({ full }) => (full ? { walk: 22, all: 28.5 } : { walk: 1.5, all: 2.5 })

/** Each suspicion is measured again so many times, in new processes. */
const REPETITIONS = 2

/**
 * @param {Contender[]} contenders
 * @param {Settings} settings
 */
const choose = (contenders, { full }) =>
  contenders.filter(
    ({ group, api }) =>
      group === NATIVE ||
      ((group === 'addon' || (full && group === 'wasm')) && api !== 'handlesWithoutContext'),
  )

/**
 * @param {Asked[]} asked
 * @param {Suspicion[]} suspicions
 */
function worldsIn(asked, suspicions) {
  const wanted = new Set(
    suspicions.flatMap(({ world, neighbour }) => [keyOf(world), ...(neighbour ? [keyOf(neighbour)] : [])]),
  )
  return asked.filter(({ world }) => wanted.has(keyOf(world)))
}

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'cliffs',
  metrics: [
    { key: 'overNative', label: 'over native', unit: 'cells' },
    { key: 'steep', label: 'over 3 times a neighbour', unit: 'cells' },
  ],

  describe: () => ({
    title: 'Cliffs: each operation, one axis at a time',
    note:
      'A cell is the CPU time of one operation in one world. Native timers and ours are measured in turn, each world in ' +
      'new processes. Set, clear and refresh: turns of the event loop without an operation are timed in the same process ' +
      'and subtracted. Fire: from the last set to the last callback; "a turn" is here the number of timers that are due in ' +
      'one millisecond. Advance: virtual time, which native timers do not have. Delays "distinct" lie between half of the ' +
      'delay and the delay. If the delay is too short to work on all pending timers before they fire, only some of them ' +
      'are worked on, and the others are an hour away. A cell is listed if it costs over 3 times its neighbour on the ' +
      'axis (figures below 10 ns count as 10), or over 1.03 times native, and if ' +
      `${REPETITIONS} repetitions in new processes show the same. Native timers are not measured with more than a ` +
      'million pending, because they take minutes and gigabytes.',
  }),

  async run(contenders, settings, progress) {
    const started = performance.now()
    const minutes = () => (performance.now() - started) / 60_000
    const limits = limitsOf(settings)
    const compared = choose(contenders, settings)
    // More turns would leave no time to repeat suspicions.
    const turns = settings.turns ?? 3
    const turnsOf = (/** @type {Contender} */ { group }) =>
      group === 'wasm' ? (fewerTurns(settings) ?? turns) : turns
    const lines = planLines(settings.full)
    const asked = worldsOf(lines)

    /**
     * @param {string} step
     * @param {Asked[]} some
     * @param {number} limit
     */
    const measureAll = async (step, some, limit) => {
      /** @type {Measured} */
      const measured = new Map()
      let done = 0
      for (const one of some) {
        if (minutes() > limit) break
        progress.show(`cliffs: ${step}, ${formatCount(++done)} of ${formatCount(some.length)}`)
        await measureWorld(one, compared, turnsOf, measured)
      }
      return { measured, figures: figuresOf(measured), skipped: some.length - done }
    }

    const first = await measureAll('world', asked, limits.walk)
    const ours = compared.filter(({ group }) => group !== NATIVE).map(({ id }) => id)
    const suspicions = findSuspicions(lines, ours, first.figures)
    let verdict = keepRepeated(suspicions, first.figures, [])
    const repetitions = []
    for (let i = 1; i <= REPETITIONS; i++) {
      // A suspicion that a repetition has refuted is not measured again.
      const left = [...verdict.kept, ...verdict.unrepeated]
      const again = await measureAll(`repetition ${i}`, worldsIn(asked, left), limits.all)
      repetitions.push(again.figures)
      verdict = keepRepeated(suspicions, first.figures, repetitions)
    }
    return report(compared, first, verdict, { worlds: asked.length, minutes: minutes() })
  },

  format: (result) => formatCliffs(/** @type {any} */ (result)),
}

/**
 * @param {Contender[]} compared
 * @param {{ measured: Measured, skipped: number }} first
 * @param {ReturnType<typeof keepRepeated>} verdict
 * @param {{ worlds: number, minutes: number }} counts
 */
function report(compared, { measured, skipped }, { kept, dropped, unrepeated }, counts) {
  const cells = [...measured].map(([key, figure]) => {
    const [world, contender, operation] = key.split('|')
    return { world, contender, operation, ...figure }
  })
  const rows = compared
    .filter(({ group }) => group !== NATIVE)
    .map(({ id, label, group }) => {
      const count = (/** @type {string} */ kind) =>
        kept.filter((one) => one.contender === id && one.kind === kind).length
      const values = { overNative: summarize([count('native')]), steep: summarize([count('neighbour')]) }
      return { id, label, group, values }
    })
  const turns = compared.map(({ id, label }) => {
    const own = cells.filter(({ contender, operation }) => contender === id && operation === 'turn')
    return { label, median: summarize(own.map(({ median }) => median)).median }
  })
  return {
    rows,
    details: {
      cliffs: kept,
      unrepeated,
      turns,
      counts: {
        ...counts,
        skipped,
        cells: cells.filter(({ operation }) => operation !== 'turn').length,
        dropped: dropped.length,
        unrepeated: unrepeated.length,
      },
    },
  }
}
