/**
 * The first chart of README.md: native timers beside those of this package, in Node and in three browsers.
 *
 * @import { Read } from './comparison.mjs'
 * @import { Result } from './format.mjs'
 */

const width = 860
const font = 'font-family="system-ui, Helvetica, Arial, sans-serif"'
const native = '#8c8c8c'
const ours = '#2f6fde'

/**
 * Two panels side by side: a title, the part and metric in Node, those in pages.
 *
 * @type {{ title: string, node: [string, string], pages: [string, string] }[]}
 */
const panels = [
  { title: 'Set and clear a timer', node: ['set-clear', 'atOnce'], pages: ['browser-set-clear', 'atOnce'] },
  {
    title: 'Refresh one of many pending timers',
    node: ['refresh', 'refresh'],
    pages: ['browser-refresh', 'refresh'],
  },
]

/**
 * @param {Result} result
 * @param {string} label
 * @param {string} key
 */
function medianOf({ part, rows }, label, key) {
  const row = rows.find((row) => row.label === label)
  if (row === undefined) throw new Error(`${part}: there is no row '${label}'`)
  return row.values[key].median
}

/**
 * @param {Read} read
 * @param {typeof panels[number]} panel
 * @returns {{ name: string, native: number, ours: number }[]}
 */
function groupsOf(read, { node, pages }) {
  const inPages = ['Chromium', 'Firefox', 'WebKitGTK'].map((name) => ({
    name,
    native: medianOf(read(pages[0]), `${name}: native setTimeout`, pages[1]),
    ours: medianOf(read(pages[0]), `${name}: wheel, setTimeout`, pages[1]),
  }))
  const inNode = {
    name: 'Node',
    native: medianOf(read(node[0]), 'native setTimeout', node[1]),
    ours: medianOf(read(node[0]), 'addon: setTimeout', node[1]),
  }
  return [...inPages, inNode]
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {string} [attributes]
 */
const write = (x, y, text, attributes = 'font-size="12" fill="#1f2328"') =>
  `<text x="${x}" y="${y}" ${font} ${attributes}>${text}</text>`

/** @param {number} ns */
const nanoseconds = (ns) => `${Math.round(ns).toLocaleString('en-US')} ns`

/**
 * @param {number} left
 * @param {string} title
 * @param {ReturnType<typeof groupsOf>} groups
 */
function drawPanel(left, title, groups) {
  const longest = 250
  const most = Math.max(...groups.map(({ native }) => native))
  const bar = (/** @type {number} */ y, /** @type {number} */ value, /** @type {string} */ color) => {
    const long = Math.max(1, (longest * value) / most)
    return [
      `<rect x="${left + 80}" y="${y}" width="${long.toFixed(1)}" height="14" fill="${color}"/>`,
      write(Math.round(left + 86 + long), y + 11, nanoseconds(value), 'font-size="11" fill="#1f2328"'),
    ]
  }
  return [
    write(left, 62, title, 'font-size="13" font-weight="600" fill="#1f2328"'),
    ...groups.flatMap(({ name, native: before, ours: after }, i) => {
      const y = 78 + 46 * i
      return [write(left, y + 18, name), ...bar(y, before, native), ...bar(y + 16, after, ours)]
    }),
  ]
}

/**
 * @param {Read} read
 * @returns {string} an SVG document
 */
export function drawOverview(read) {
  const groups = panels.map((panel) => groupsOf(read, panel))
  const height = 300
  const node = read(panels[0].node[0])
  const { browsers } = /** @type {any} */ (read(panels[0].pages[0]))
  const origin =
    `${node.machine.cpu}, ${node.machine.cores} cores, ${node.machine.os}; Node ${node.node}, ` +
    `${Object.values(browsers).join(', ')}. Medians.`
  const pending =
    'Refresh: 1,000,000 pending timers in Node, 100,000 in pages. The timers of pages have no refresh: they are cleared and set again.'
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>Set, clear and refresh: native timers and timeout-wheel</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    write(16, 28, 'Time of an operation (less is better)', 'font-size="16" fill="#1f2328"'),
    `<rect x="560" y="17" width="12" height="12" fill="${native}"/>`,
    write(578, 28, 'native setTimeout'),
    `<rect x="710" y="17" width="12" height="12" fill="${ours}"/>`,
    write(728, 28, 'timeout-wheel'),
    ...panels.flatMap(({ title }, i) => drawPanel(16 + 430 * i, title, groups[i])),
    write(16, 274, pending, 'font-size="10" fill="#59636e"'),
    write(16, 289, origin, 'font-size="10" fill="#59636e"'),
    '</svg>',
  ].join('\n')}\n`
}
