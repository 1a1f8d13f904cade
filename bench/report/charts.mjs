/** Charts as SVG, which documents and pages show. */
import { ENGINES } from '../parts/browser.mjs'
import { EVERYDAY, MASS, SINGLE } from '../parts/turns.mjs'
import { formatCount, formatEnvironment, formatMedian, formatShort, wrap } from './format.mjs'
import { groupBy, lineOf, medianOf, readHeadline } from './read.mjs'
import { idsAt, idsIn, idsOf } from './tables.mjs'

const colors = { native: '#8c8c8c', addon: '#2f6fde', wasm: '#7a4fd0', rival: '#c78a2c', floor: '#c4c7cc' }
const palette = '#2f6fde #b35900 #7a4fd0 #1a7f37 #bf3989 #57606a #0e7c86 #9a6700 #cf222e'.split(' ')
const font = 'font-family="system-ui, Helvetica, Arial, sans-serif"'
const dark = '#1f2328'
const grey = '#59636e'
const background = '#ffffff'
const IN_THE_DARK = `[fill="${background}"] { fill: #1b1b1f } text { fill: #d1d7e0 } [stroke="${dark}"] { stroke: #d1d7e0 }`
const small = { size: 10, color: grey }
const width = 860

export const quote = (text) =>
  text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one])

const write = (x, y, text, { size = 12, color = dark, anchor = 'start', bold = false } = {}) =>
  `<text x="${x}" y="${y}" ${font} font-size="${size}" fill="${color}" text-anchor="${anchor}"` +
  `${bold ? ' font-weight="600"' : ''}>${quote(text)}</text>`

const rectangle = (x, y, wide, height, color) =>
  `<rect x="${x}" y="${y}" width="${wide.toFixed(1)}" height="${height}" fill="${color}"/>`

const frame = (title, height, parts) =>
  `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${quote(title)}</title>`,
    `<style>@media (prefers-color-scheme: dark) { ${IN_THE_DARK} }</style>`,
    rectangle(0, 0, width, height, background),
    ...parts.flat(Infinity),
    '</svg>',
  ].join('\n')}\n`

/** Horizontal bars of the first metric, with whiskers from the least to the greatest turn. */
export function drawBars(result) {
  const [metric] = result.metrics
  const bars = result.rows.map((row) => ({ row, ...row.values[metric.key] })).filter(({ turns }) => turns > 0)
  // The bar of a rival is cut if it is longer than all others, because it would make these too small to read.
  const own = bars.filter(({ row }) => row.group !== 'rival')
  const longest = Math.max(...(own.length > 0 ? own : bars).map(({ max }) => max), 0) || 1
  const note = wrap(result.note, 125)
  const top = 52 + 15 * note.length
  const height = top + 28 * bars.length + 34
  const [left, most] = [250, 480]
  const scale = (value) => Math.min(1, Math.max(0, value / longest)) * most
  const drawBar = ({ row, median, min, max }, i) => {
    const y = top + 28 * i
    const [from, to] = [min, max].map((value) => (left + scale(value)).toFixed(1))
    const whisker = `<path d="M${from} ${y + 5}v8M${from} ${y + 9}H${to}M${to} ${y + 5}v8" stroke="${dark}"/>`
    return [
      write(left - 8, y + 13, row.label, { anchor: 'end' }),
      rectangle(left, y, Math.max(1, scale(median)), 18, colors[row.group] ?? grey),
      max > longest ? '' : whisker,
      write(left + scale(Math.max(median, max)) + 8, y + 13, formatMedian(row, metric)),
    ]
  }
  const what = [metric.label, metric.unit].filter(Boolean).join(', ')
  const turns = Math.max(...bars.map((bar) => bar.turns))
  const runs = result.runs.length === 1 ? 'a run' : `${result.runs.length} runs`
  const origin = `${formatEnvironment(result)} - ${result.date.slice(0, 10)} - medians of ${turns} turns in ${runs}`
  return frame(result.part, height, [
    write(16, 28, `${result.title} (${what}; less is better)`, { size: 16, bold: true }),
    note.map((line, i) => write(16, 48 + 15 * i, line, { size: 11, color: grey })),
    bars.map(drawBar),
    write(16, height - 10, origin, small),
  ])
}

function drawLines(title, lines) {
  const series = lines.filter(({ points }) => points.length > 0)
  const points = series.flatMap((one) => one.points)
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => Math.log10(point[axis])))
  const [fromX, toX] = [Math.min(...xs), Math.max(...xs)]
  const [fromY, toY] = [Math.floor(Math.min(...ys)), Math.ceil(Math.max(...ys))]
  const [left, right, top, bottom] = [60, 570, 50, 350]
  const x = (value) => left + ((Math.log10(value) - fromX) / (toX - fromX || 1)) * (right - left)
  const y = (value) => bottom - ((Math.log10(value) - fromY) / (toY - fromY || 1)) * (bottom - top)
  const grid = Array.from({ length: toY - fromY + 1 }, (_, i) => 10 ** (fromY + i))
  const drawSeries = ({ label, points: own }, i) => {
    const steps = own.map(([px, py]) => `${x(px).toFixed(1)} ${y(py).toFixed(1)}`)
    return [
      `<path d="M${steps.join('L')}" fill="none" stroke="${palette[i]}" stroke-width="2"/>`,
      `<path d="M600 ${56 + 20 * i}h24" stroke="${palette[i]}" stroke-width="2"/>`,
      write(630, 60 + 20 * i, label, { size: 11 }),
    ]
  }
  return frame(title, 390, [
    write(16, 28, title, { size: 16, bold: true }),
    grid.map((value) => [
      `<path d="M${left} ${y(value).toFixed(1)}H${right}" stroke="#e6e8eb"/>`,
      write(left - 6, y(value) + 4, formatShort(value), { size: 11, color: grey, anchor: 'end' }),
    ]),
    [...new Set(points.map(([value]) => value))].map((value) =>
      write(x(value), bottom + 18, formatShort(value), { size: 11, color: grey, anchor: 'middle' }),
    ),
    series.map(drawSeries),
  ])
}

/** The median of a row at a number of timers, a point of a line, if it was measured. */
const pointOf = ({ values }, key, count) => (values[key] ? [[count, Math.max(values[key].median, 0.01)]] : [])

/** The lines of a part whose metrics are counts, a line for each row. */
export const drawScale = ({ title, metrics, rows }) =>
  drawLines(
    `${title} (${metrics[0].unit})`,
    rows.map((row) => ({
      label: row.label,
      points: metrics.flatMap(({ key }) => pointOf(row, key, Number(key.replace('at', '')))),
    })),
  )

/** How the cost of each design grows with the number of timers, for the parts of the core that have three sizes or more. */
export function drawGrowth({ metrics, rows }) {
  const costs = rows.filter(({ id }) => !id.includes(' '))
  return groupBy(costs, ({ id }) => id.split('/').slice(0, 2).join('/'))
    .filter(([, own]) => own.length >= 3)
    .map(([name, own]) => {
      const lines = metrics.map(({ key, label }) => ({
        label,
        points: own.flatMap((row) => pointOf(row, key, Number(row.id.split('/')[2]))),
      }))
      return drawLines(name, lines)
    })
}

/** The panels of README's first chart. Each pair has one scale for set and clear, and one for refresh. */
const works = [
  ['set and clear a timer', 'setClear'],
  ['refresh a timer', 'refresh'],
]

/** A name, and the medians of native timers and of ours. */
const groupOf = (name, result, ids, size, key) => {
  const { native, handles } = idsAt(ids, size)
  return [name, ...[native, handles].map((id) => medianOf(result, id, key))]
}

function drawPanel(left, top, title, groups) {
  const most = Math.max(...groups.map(([, ...figures]) => Math.max(...figures)))
  const bar = (y, value, color) => {
    const long = Math.max(1, (230 * value) / most)
    const figure = `${formatShort(value)} ns`
    return [
      rectangle(left + 100, y, long, 14, color),
      write(Math.round(left + 106 + long), y + 11, figure, { size: 11 }),
    ]
  }
  return [
    write(left, top, title, { size: 13, bold: true }),
    groups.map(([name, native, ours], i) => {
      const y = top + 16 + 46 * i
      return [write(left, y + 18, name), ...bar(y, native, colors.native), ...bar(y + 16, ours, colors.addon)]
    }),
  ]
}

export function drawOverview(read) {
  const [inNode, inPages] = ['turns', 'browser-turns'].map((part) => readHeadline(read, part))
  const panels = works.map(([title, key], i) => {
    const left = 16 + 430 * i
    const turns = [SINGLE, EVERYDAY, MASS].map((size) =>
      groupOf(`${formatCount(size)} in a turn`, inNode, idsOf(inNode), size, key),
    )
    const engines = Object.entries(ENGINES).map(([engine, name]) =>
      groupOf(name, inPages, idsIn(engine), EVERYDAY, key),
    )
    return [
      drawPanel(left, 62, `Node ${lineOf(inNode)}: ${title}`, turns),
      drawPanel(left, 242, `Pages, ${EVERYDAY} in a task: ${title}`, engines),
    ]
  })
  const notes = [
    'What each operation adds to a turn of the event loop, or to a task of a page, by the number of operations in it. 1,000 timers of that delay are pending.',
    'The timers of pages have no refresh: they are cleared and set again.',
    `${inNode.machine}; Node ${inNode.node}, ${inPages.browsers}. Medians.`,
  ]
  return frame('Set, clear and refresh: native timers and timeout-wheel', 464, [
    write(16, 28, 'Time of an operation (less is better)', { size: 16 }),
    rectangle(560, 17, 12, 12, colors.native),
    write(578, 28, 'native setTimeout'),
    rectangle(710, 17, 12, 12, colors.addon),
    write(728, 28, 'timeout-wheel'),
    panels,
    notes.map((line, i) => write(16, 424 + 15 * i, line, small)),
  ])
}
