/** The figures of README.md. Each is the median of the recorded runs; a ratio goes from the least to the greatest of them. */
import { ENGINES } from '../parts/browser.mjs'
import { formatMarkdown, formatShort, metricOf } from './format.mjs'
import { formatGain, formatRange, gainOf, lineOf, medianOf, rangeOf, readHeadline } from './read.mjs'
import { idsIn, idsOf } from './tables.mjs'

/** How many times less a wheel's handles cost than the timers of a page, from the least to the greatest of all engines and runs. */
function gainInPages(read) {
  const results = ['browser-set-clear', 'browser-refresh'].map((part) => readHeadline(read, part))
  const ranges = Object.keys(ENGINES).flatMap((engine) => {
    const { native, handles } = idsIn(engine)
    return results.flatMap((result) => result.metrics.map(({ key }) => rangeOf(result, native, handles, key)))
  })
  return formatRange({
    least: Math.min(...ranges.map(({ least }) => least)),
    most: Math.max(...ranges.map(({ most }) => most)),
  })
}

const round = (value) => formatShort(Math.round(value))

/** The parts whose figures README shows. */
export const shownParts = [
  ...['set-clear', 'refresh', 'groups', 'hold', 'burst', 'set-fire', 'import', 'early', 'service', 'few'],
  ...['browser-set-clear', 'browser-refresh', 'browser-hidden'],
]

export function formatSummary(read) {
  const of = (part) => readHeadline(read, part)
  const gain = (part, key) => formatGain(rangeOf(of(part), 'native', 'addon-handles', key))
  const hidden = (kind) =>
    ['chromium', 'firefox'].map((page) => medianOf(of('browser-hidden'), idsIn(page)[kind], 'middle'))
  const early = of('early')
  if (early.rows.some(({ group, values }) => group !== 'native' && values.early.max > 0)) {
    throw new Error('early: a timer of ours ran early')
  }
  const count = 10 * early.settings.timers
  const share = Math.round((100 * medianOf(early, 'native', 'early')) / count)
  const cost = (part, id) => formatShort(medianOf(of(part), id, 'cpu'))
  const costs = (part, unit) =>
    `${cost(part, 'native')} ${unit} of CPU natively and ${cost(part, 'addon-handles')} ${unit} with timeout-wheel`
  return [
    `- **In pages**, setting, clearing or refreshing a timer costs ${gainInPages(read)} times less than with the browser's own \`setTimeout\`.`,
    `- **In a hidden tab**, Chromium and Firefox run their timers ${hidden('native').map(round).join(' and ')} ms late. With \`driver: 'worker'\`, a wheel runs its own ${round(Math.max(...hidden('worker')))} ms late.`,
    `- **In Node**, setting and clearing a timer costs ${gain('set-clear', 'atOnce')}. Refreshing one of a million timers costs ${gain('refresh', 'refresh')}.`,
    `- **No timer is early.** Node ran ${share}% of ${formatShort(count)} timers too early. timeout-wheel ran none too early.`,
    `- **When it does not pay**: an HTTP server spends most of its time on HTTP. A request takes ${costs('service', 'µs')}. Ten timers that are set again whenever they run take ${costs('few', 'ms')} in each second.`,
  ].join('\n')
}

/** The rows of the table in README. A row with one text is a heading. The texts of other rows: the operation, the part of the benchmark, its metric. */
const comparison = [
  ['**Better with timeout-wheel**'],
  ['set and clear', 'browser-set-clear', 'atOnce'],
  ['set and clear', 'set-clear', 'atOnce'],
  ['refresh one of 1,000,000', 'refresh', 'refresh'],
  ['touch a member of a group of 1,000,000', 'groups', 'touch'],
  ['memory per pending timer', 'hold', 'resident'],
  ['longest block by 1,000,000 due at once', 'burst', 'block'],
  ['**Not better**'],
  ['median lateness', 'set-fire', 'late50'],
  ["first `import` (Node's timers: an empty module)", 'import', 'imported'],
]

function compare(read, [what, part, key]) {
  if (part === undefined) return [what, '', '', '']
  const result = readHeadline(read, part)
  const isPage = part.startsWith('browser-')
  const { native, handles, floor } = isPage ? idsIn('chromium') : idsOf(result)
  const show = (id) => `${formatShort(medianOf(result, id, key))} ${metricOf(result, key).unit}`
  const gain = gainOf(result, native, handles, key) || '-'
  // Work that waits for memory is compared with a bare store too.
  const distance = floor === 'field' ? rangeOf(result, handles, floor, key) : undefined
  return [
    ...[`${isPage ? 'Chromium' : `Node ${lineOf(result)}`}: ${what}`, show(native), show(handles)],
    distance ? `${gain}; ${formatRange(distance).replace(' to ', '-')}× a bare store` : gain,
  ]
}

export const formatComparison = (read) =>
  formatMarkdown(
    [['', 'Native timers', 'timeout-wheel', ''], ...comparison.map((row) => compare(read, row))],
    [0, 3],
  )
