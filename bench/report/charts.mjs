/** Charts as SVG, which documents and pages show. */
import { formatEnvironment, formatMedian, formatShort, wrap } from './format.mjs'
import { medianOf, readHeadline } from './read.mjs'

const colors = { native: '#8c8c8c', addon: '#2f6fde', wasm: '#7a4fd0', rival: '#c78a2c', floor: '#c4c7cc' }
const palette = '#2f6fde #b35900 #7a4fd0 #1a7f37 #bf3989 #57606a #0e7c86 #9a6700 #cf222e'.split(' ')
const font = 'font-family="system-ui, Helvetica, Arial, sans-serif"'
const dark = '#1f2328'
const grey = '#59636e'
const width = 860

const quote = (text) => text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one])

const write = (x, y, text, { size = 12, color = dark, anchor = 'start', bold = false } = {}) =>
  `<text x="${x}" y="${y}" ${font} font-size="${size}" fill="${color}" text-anchor="${anchor}"` +
  `${bold ? ' font-weight="600"' : ''}>${quote(text)}</text>`

const rectangle = (x, y, wide, height, color) =>
  `<rect x="${x}" y="${y}" width="${wide.toFixed(1)}" height="${height}" fill="${color}"/>`

const frame = (title, height, parts) =>
  `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${quote(title)}</title>`,
    rectangle(0, 0, width, height, '#ffffff'),
    ...parts.flat(Infinity),
    '</svg>',
  ].join('\n')}\n`

const unitOf = ({ label, unit }) => [label, unit].filter(Boolean).join(', ')

const originOf = (result, turns) =>
  `${formatEnvironment(result)} - ${result.date.slice(0, 10)} - medians of ${turns} turns in ${result.runs.length === 1 ? 'a run' : `${result.runs.length} runs`}`

/** Horizontal bars of a metric, with whiskers from the least to the greatest turn. */
export function drawBars(result, metric = result.metrics[0]) {
  const rows = result.rows.filter(({ values }) => values[metric.key])
  const summaries = rows.map(({ values }) => values[metric.key])
  // The bar of a rival is cut if it is longer than all others, because it would make these too small to read.
  const own = rows.flatMap(({ group }, i) => (group === 'rival' ? [] : [summaries[i].max]))
  const longest = Math.max(...(own.length > 0 ? own : summaries.map(({ max }) => max)), 0) || 1
  const note = wrap(result.note, 125)
  const top = 52 + 15 * note.length
  const height = top + 28 * rows.length + 34
  const [left, most] = [250, 480]
  const scale = (value) => Math.min(1, Math.max(0, value / longest)) * most
  const bars = rows.map((row, i) => {
    const { median, min, max } = summaries[i]
    const y = top + 28 * i
    const [from, to] = [min, max].map((value) => (left + scale(value)).toFixed(1))
    const end =
      max > longest
        ? ''
        : `<path d="M${from} ${y + 5}v8M${from} ${y + 9}H${to}M${to} ${y + 5}v8" stroke="${dark}"/>`
    return [
      write(left - 8, y + 13, row.label, { anchor: 'end' }),
      rectangle(left, y, Math.max(1, scale(median)), 18, colors[row.group] ?? grey),
      end,
      write(left + scale(Math.max(median, max)) + 8, y + 13, formatMedian(row, metric)),
    ]
  })
  const { part } = result
  return frame(part, height, [
    write(16, 28, `${result.title} (${unitOf(metric)}; less is better)`, { size: 16, bold: true }),
    note.map((line, i) => write(16, 48 + 15 * i, line, { size: 11, color: grey })),
    ...bars,
    write(16, height - 10, originOf(result, Math.max(...summaries.map(({ turns }) => turns))), {
      size: 10,
      color: grey,
    }),
  ])
}

function drawLines(title, series) {
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

/** The medians of rows in a line: `at(row)` is the number of timers. */
const pointsOf = (rows, at, key) =>
  rows.flatMap((row) => (row.values[key] ? [[at(row), Math.max(row.values[key].median, 0.01)]] : []))

/** The lines of a part whose metrics are counts, a line for each row. */
export const drawScale = ({ title, metrics, rows }) =>
  drawLines(
    `${title} (${metrics[0].unit})`,
    rows.map((row) => ({
      label: row.label,
      points: metrics.flatMap(({ key }) => pointsOf([row], () => Number(key.replace('at', '')), key)),
    })),
  )

/** How the cost of each design grows with the number of timers, for the parts of the core that have three sizes or more. */
export function drawGrowth({ metrics, rows }) {
  const names = [...new Set(rows.map(({ id }) => id.split('/').slice(0, 2).join('/')))]
  return names.flatMap((name) => {
    const own = rows.filter(({ id }) => id.startsWith(`${name}/`) && !id.includes(' '))
    const series = metrics.map(({ key, label }) => ({
      label,
      points: pointsOf(own, ({ id }) => Number(id.split('/')[2]), key),
    }))
    return own.length < 3
      ? []
      : [
          drawLines(
            name,
            series.filter(({ points }) => points.length > 0),
          ),
        ]
  })
}

/** The two panels of README's first chart: a title, a part and a metric in Node, and those in pages. */
const panels = [
  { title: 'Set and clear a timer', node: ['set-clear', 'atOnce'], pages: ['browser-set-clear', 'atOnce'] },
  {
    title: 'Refresh one of many pending timers',
    node: ['refresh', 'refresh'],
    pages: ['browser-refresh', 'refresh'],
  },
]

function groupsOf(read, { node, pages }) {
  const page = readHeadline(read, pages[0])
  const inNode = readHeadline(read, node[0])
  const inPages = ['Chromium', 'Firefox', 'WebKitGTK'].map((name) => {
    const id = name.toLowerCase().replace('gtk', '')
    return {
      name,
      native: medianOf(page, `${id}-window-native`, pages[1]),
      ours: medianOf(page, `${id}-window-handles`, pages[1]),
    }
  })
  return [
    ...inPages,
    {
      name: `Node ${Number.parseInt(inNode.node.slice(1), 10)}`,
      native: medianOf(inNode, 'native', node[1]),
      ours: medianOf(inNode, 'addon-handles', node[1]),
    },
  ]
}

function drawPanel(left, title, groups) {
  const most = Math.max(...groups.map(({ native }) => native))
  const bar = (y, value, color) => {
    const long = Math.max(1, (250 * value) / most)
    const figure = `${Math.round(value).toLocaleString('en-US')} ns`
    return [
      rectangle(left + 80, y, long, 14, color),
      write(Math.round(left + 86 + long), y + 11, figure, { size: 11 }),
    ]
  }
  return [
    write(left, 62, title, { size: 13, bold: true }),
    ...groups.flatMap(({ name, native, ours }, i) => {
      const y = 78 + 46 * i
      return [write(left, y + 18, name), ...bar(y, native, colors.native), ...bar(y + 16, ours, colors.addon)]
    }),
  ]
}

export function drawOverview(read) {
  const node = readHeadline(read, panels[0].node[0])
  const origin = `${node.machine}; Node ${node.node}, ${readHeadline(read, panels[0].pages[0]).browsers}. Medians.`
  const pending =
    'Refresh: 1,000,000 pending timers in Node, 100,000 in pages. The timers of pages have no refresh: they are cleared and set again.'
  return frame('Set, clear and refresh: native timers and timeout-wheel', 300, [
    write(16, 28, 'Time of an operation (less is better)', { size: 16 }),
    rectangle(560, 17, 12, 12, colors.native),
    write(578, 28, 'native setTimeout'),
    rectangle(710, 17, 12, 12, colors.addon),
    write(728, 28, 'timeout-wheel'),
    ...panels.map((panel, i) => drawPanel(16 + 430 * i, panel.title, groupsOf(read, panel))),
    write(16, 274, pending, { size: 10, color: grey }),
    write(16, 289, origin, { size: 10, color: grey }),
  ])
}
