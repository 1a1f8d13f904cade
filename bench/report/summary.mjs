/** The figures of README.md. Each is the median of the recorded runs; a ratio goes from the least to the greatest of them. */
import { ENGINES } from '../parts/browser.mjs'
import { EVERYDAY, MASS, SINGLE } from '../parts/turns.mjs'
import { formatCount, formatMarkdown, formatShort, metricOf } from './format.mjs'
import { formatSingleLosses } from './losses.mjs'
import { CLEAR, formatGain, gainOf, lineOf, medianOf, rangeOf, readHeadline } from './read.mjs'
import { idsAt, idsIn, idsOf } from './tables.mjs'

/** The parts whose figures README shows. */
export const shownParts = [
  ...['turns', 'refresh', 'hold', 'burst', 'set-fire', 'import', 'early', 'service', 'few'],
  ...['browser-turns', 'browser-hidden'],
]

const round = (value) => formatShort(Math.round(value))

/** A sentence says that something costs this. */
const formatCost = (range) => `costs ${formatGain(range).replace('no difference', 'the same')}`

/** The least and the greatest ratio of native timers to ours, of setting, clearing and refreshing in all engines. */
function rangeInPages(result, size) {
  const ranges = Object.keys(ENGINES).flatMap((engine) => {
    const { native, handles } = idsAt(idsIn(engine), size)
    return result.metrics.flatMap(({ key }) => rangeOf(result, native, handles, key) ?? [])
  })
  return {
    least: Math.min(...ranges.map(({ least }) => least)),
    most: Math.max(...ranges.map(({ most }) => most)),
  }
}

export function formatSummary(read) {
  const of = (part) => readHeadline(read, part)
  const [inNode, inPages, early] = ['turns', 'browser-turns', 'early'].map(of)
  const costAt = (key, size) => {
    const { native, handles } = idsAt(idsOf(inNode), size)
    return formatCost(rangeOf(inNode, native, handles, key))
  }
  const hidden = (kind) =>
    ['chromium', 'firefox'].map((page) => medianOf(of('browser-hidden'), idsIn(page)[kind], 'middle'))
  if (early.rows.some(({ group, values }) => group !== 'native' && values.early.max > 0)) {
    throw new Error('early: a timer of ours ran early')
  }
  const count = 10 * early.settings.timers
  const { medians } = early.rows.find(({ id }) => id === 'native').values.earliest
  const share = Math.round((100 * medianOf(early, 'native', 'early')) / count)
  const cost = (part, id) => formatShort(medianOf(of(part), id, 'cpu'))
  const costs = (part, unit) =>
    `${cost(part, 'native')} ${unit} of CPU natively and ${cost(part, 'addon-handles')} ${unit} with timeout-wheel`
  const few = formatCost(rangeOf(of('few'), 'native', 'addon-handles', 'cpu'))
  const many = formatCost(rangeOf(of('refresh'), 'native', 'addon-handles', 'refresh'))
  const mass = formatCount(MASS)
  return [
    `- **In Node**, the cost depends on the number of operations in one turn of the event loop. At ${EVERYDAY}, the everyday case, setting and clearing a timer ${costAt('setClear', EVERYDAY)}, and refreshing one ${costAt('refresh', EVERYDAY)}. At ${mass}, the mass, setting and clearing ${costAt('setClear', MASS)}, and refreshing ${costAt('refresh', MASS)}. Refreshing one of a million timers at random, ${mass} in a turn, ${many}.`,
    `- **In pages**, setting, clearing or refreshing a timer ${formatCost(rangeInPages(inPages, EVERYDAY))} at ${EVERYDAY} operations in a task, and ${formatCost(rangeInPages(inPages, MASS))} at ${mass}. In a hidden tab, Chromium and Firefox run their timers ${hidden('native').map(round).join(' and ')} ms late; with \`driver: 'worker'\`, a wheel is ${round(Math.max(...hidden('worker')))} ms late.`,
    `- **No timer is early.** Node ran ${share}% of ${formatShort(count)} timers too early, by up to ${formatShort(-Math.min(...medians), 2)} ms. timeout-wheel ran none too early.`,
    `- **When it does not pay.**${formatSingleLosses(read)} An HTTP server spends most of its time on HTTP: a request takes ${costs('service', 'µs')}. Ten timers that run a hundred times a second in all take ${cost('few', 'native')} ms of CPU in each second natively; with timeout-wheel, that ${few}.`,
  ].join('\n')
}

/** The first table of README. The operation, the part of the benchmark, its metric. */
const byTurns = [
  ['set and clear', 'turns', 'setClear'],
  ['refresh', 'turns', 'refresh'],
  ['touch a member of a group (natively refresh)', 'turns', 'touch'],
  ['set and clear, in a task', 'browser-turns', 'setClear'],
]

/** The second table. */
const others = [
  ['memory per pending timer', 'hold', 'resident'],
  ['longest block by 1,000,000 due at once', 'burst', 'block'],
  ['median lateness of 1,000,000', 'set-fire', 'late50'],
  ["first `import` (Node's timers: an empty module)", 'import', 'imported'],
]

const isPage = (part) => part.startsWith('browser-')
const idsFor = (result) => (isPage(result.part) ? idsIn('chromium') : idsOf(result))
const nameOf = (result) => (isPage(result.part) ? ENGINES.chromium : `Node ${lineOf(result)}`)

function compareTurns(read, [what, part, key]) {
  const result = readHeadline(read, part)
  const cells = [SINGLE, EVERYDAY, MASS].map((size) => {
    const { native, handles } = idsAt(idsFor(result), size)
    const figures = [native, handles].map((id) => formatShort(medianOf(result, id, key)))
    return `${figures.join(' → ')} ns, ${gainOf(result, native, handles, key) || '-'}`
  })
  return [`${nameOf(result)}: ${what}`, ...cells]
}

function compare(read, [what, part, key]) {
  const result = readHeadline(read, part)
  const { native, handles } = idsFor(result)
  const show = (id) => `${formatShort(medianOf(result, id, key))} ${metricOf(result, key).unit}`
  const gain = gainOf(result, native, handles, key) || '-'
  return [`${nameOf(result)}: ${what}`, show(native), show(handles), gain]
}

const isBetter =
  (read) =>
  ([, part, key]) => {
    const result = readHeadline(read, part)
    const { native, handles } = idsFor(result)
    return rangeOf(result, native, handles, key)?.least > CLEAR
  }

const sizes = [SINGLE, EVERYDAY, MASS].map((size) => `${formatCount(size)} in a turn`)

export function formatComparison(read) {
  const better = others.filter(isBetter(read))
  const worse = others.filter((row) => !better.includes(row))
  const rowsOf = (some) => some.map((row) => compare(read, row))
  const turns = formatMarkdown([
    ['Native timers → timeout-wheel', ...sizes],
    ...byTurns.map((row) => compareTurns(read, row)),
  ])
  const rest = formatMarkdown(
    [
      ['**Better with timeout-wheel**', 'Native timers', 'timeout-wheel', ''],
      ...rowsOf(better),
      ['**Not better**', '', '', ''],
      ...rowsOf(worse),
    ],
    [0, 3],
  )
  return `${turns}\n\n${rest}`
}
