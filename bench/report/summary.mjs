/** The figures of README.md. Each is the median of the recorded runs; a ratio goes from the least to the greatest of them. */
import { formatMarkdown, formatShort } from './format.mjs'
import {
  formatGain,
  formatRange,
  formatShortGain,
  medianOf,
  rangeOf,
  readHeadline,
  summaryOf,
} from './read.mjs'

const pages = ['chromium', 'firefox', 'webkit']
const inPages = [
  ['browser-set-clear', 'atOnce'],
  ['browser-set-clear', 'later'],
  ['browser-refresh', 'refresh'],
]

/** How many times less a wheel's handles cost than the timers of a page, from the least to the greatest of all engines and runs. */
function gainInPages(read) {
  const ranges = inPages.flatMap(([part, key]) =>
    pages.map((page) =>
      rangeOf(readHeadline(read, part), `${page}-window-native`, `${page}-window-handles`, key),
    ),
  )
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
    ['chromium', 'firefox'].map((page) => medianOf(of('browser-hidden'), `${page}-window-${kind}`, 'middle'))
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

const handles = { native: 'native', ours: 'addon-handles' }
const members = { native: 'native-members', ours: 'addon-members' }
const modules = { native: 'empty', ours: 'either' }
const inChromium = { native: 'chromium-window-native', ours: 'chromium-window-handles' }

const row = (what, part, key, unit, { native, ours } = handles, floor) => ({
  ...{ what, part, key, unit, native, ours, floor },
})
/** The rows that decide. `floor` is the row of a bare store, for work that waits for memory. */
const gains = [
  row('Chromium: set and clear', 'browser-set-clear', 'atOnce', 'ns', inChromium),
  row('set and clear', 'set-clear', 'atOnce', 'ns'),
  row('refresh one of 1,000,000', 'refresh', 'refresh', 'ns', handles, 'field'),
  row('touch a member of a group of 1,000,000', 'groups', 'touch', 'ns', members, 'field'),
  row('memory per pending timer', 'hold', 'resident', 'bytes'),
  row('longest block by 1,000,000 due at once', 'burst', 'block', 'ms'),
]
const losses = [
  row('median lateness', 'set-fire', 'late50', 'ms'),
  row("first `import` (Node's timers: an empty module)", 'import', 'imported', 'ms', modules),
]

function lineOf(read, { what, part, key, unit, native, ours, floor }) {
  const isPage = part.startsWith('browser-')
  const result = readHeadline(read, part)
  const where = isPage ? '' : `Node ${Number.parseInt(result.node.slice(1), 10)}: `
  const distance = floor && summaryOf(result, floor, key) && rangeOf(result, ours, floor, key)
  const show = (id) => `${formatShort(medianOf(result, id, key))} ${unit}`
  const gain = formatShortGain(rangeOf(result, native, ours, key))
  return [
    ...[`${where}${what}`, show(native), show(ours)],
    distance ? `${gain}; ${formatRange(distance).replace(' to ', '-')}× a bare store` : gain,
  ]
}

export const formatComparison = (read) =>
  formatMarkdown(
    [
      ['', 'Native timers', 'timeout-wheel', ''],
      ['**Better with timeout-wheel**', '', '', ''],
      ...gains.map((row) => lineOf(read, row)),
      ['**Not better**', '', '', ''],
      ...losses.map((row) => lineOf(read, row)),
    ],
    [0, 3],
  )
