/**
 * The figures of README.md: a summary in sentences, and a table of the gains and losses that a user asks for. Each figure
 * is read from a result, so that README shows none that was not measured.
 *
 * @import { Result } from './format.mjs'
 * @import { Row } from '../runner/harness.mjs'
 *
 * @typedef {(part: string) => Result} Read  Reads a result by the name of its part.
 */

/**
 * @param {Result} result
 * @param {string} label  of a row
 * @returns {Row}
 */
function rowOf({ part, rows }, label) {
  const row = rows.find((row) => row.label === label)
  if (row === undefined) throw new Error(`${part}: there is no row '${label}'`)
  return row
}

/**
 * @param {Result} result
 * @param {string} label
 * @param {string} key  of a metric
 */
const medianOf = (result, label, key) => rowOf(result, label).values[key].median

/** Three digits, or all that are left of the point. @param {number} value */
const format = (value) =>
  value.toLocaleString('en-US', value < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 })

const pages = /** @type {const} */ (['Chromium', 'Firefox', 'WebKitGTK'])

/**
 * How many times a wheel's handles are cheaper than the timers of a page, from the least to the greatest of all engines.
 *
 * @param {Read} read
 */
function gainsInPages(read) {
  const gains = [
    ['browser-set-clear', 'atOnce'],
    ['browser-set-clear', 'later'],
    ['browser-refresh', 'refresh'],
  ].flatMap(([part, key]) =>
    pages.map((page) => {
      const result = read(part)
      return (
        medianOf(result, `${page}: native setTimeout`, key) /
        medianOf(result, `${page}: wheel, setTimeout`, key)
      )
    }),
  )
  return { least: Math.round(Math.min(...gains)), most: Math.round(Math.max(...gains)) }
}

/** @param {Read} read */
function gainsInNode(read) {
  const gain = (/** @type {string} */ part, /** @type {string} */ key) =>
    Math.round(
      medianOf(read(part), 'native setTimeout', key) / medianOf(read(part), 'addon: setTimeout', key),
    )
  return { setClear: gain('set-clear', 'atOnce'), refresh: gain('refresh', 'refresh') }
}

/** @param {Read} read */
function earliness(read) {
  const result = read('early')
  const count = Number(result.title.replace(/\D/g, ''))
  const early = medianOf(result, 'native setTimeout', 'early')
  if (result.rows.some(({ group, values }) => group !== 'native' && values.early.median > 0)) {
    throw new Error('early: a timer of ours ran early')
  }
  return { count, share: Math.round((100 * early) / count) }
}

/**
 * The sentences of the first screen.
 *
 * @param {Read} read
 * @returns {string}
 */
export function formatSummary(read) {
  const inPages = gainsInPages(read)
  const inNode = gainsInNode(read)
  const { count, share } = earliness(read)
  const hidden = (/** @type {string} */ row) =>
    ['Chromium', 'Firefox'].map((page) =>
      Math.round(medianOf(read('browser-hidden'), `${page}: ${row}`, 'middle')),
    )
  const blocks = (/** @type {string} */ row) => format(Math.round(medianOf(read('burst'), row, 'block')))
  const late = hidden("wheel, driver 'worker'")
  return [
    `- **In pages**, setting, clearing or refreshing a timer costs ${inPages.least} to ${inPages.most} times less than with the browser's own \`setTimeout\`.`,
    `- **In a hidden tab**, Chromium and Firefox run their timers ${hidden('native setTimeout').join(' and ')} ms late. A wheel with \`driver: 'worker'\` runs them ${Math.max(...late)} ms late.`,
    `- **In Node**, setting and clearing a timer costs ${inNode.setClear} times less. Refreshing one of a million timers costs ${inNode.refresh} times less.`,
    `- **No timer is early.** Node ran ${share}% of ${format(count)} timers too early. timeout-wheel ran none too early.`,
    `- **Bursts do not block.** One million timers that are due at once block Node's event loop for ${blocks('native setTimeout')} ms. With timeout-wheel the longest block is ${blocks('addon: setTimeout')} ms.`,
  ].join('\n')
}

/**
 * @typedef {object} Comparison
 * @property {string} what
 * @property {string} part
 * @property {string} key
 * @property {string} unit
 * @property {string} [native]  label of the row; 'native setTimeout' if left out
 * @property {string} [ours]  'addon: setTimeout' if left out
 */

/** @type {Comparison[]} */
const gains = [
  { what: 'Chromium: set and clear', ...inPage('Chromium', 'browser-set-clear', 'atOnce', 'ns') },
  { what: 'Firefox: set and clear', ...inPage('Firefox', 'browser-set-clear', 'atOnce', 'ns') },
  { what: 'WebKitGTK: set and clear', ...inPage('WebKitGTK', 'browser-set-clear', 'atOnce', 'ns') },
  { what: 'Chromium: memory per pending timer', ...inPage('Chromium', 'browser-hold', 'bytes', 'bytes') },
  { what: 'Node: set and clear', part: 'set-clear', key: 'atOnce', unit: 'ns' },
  { what: 'Node: set and clear, 1,000 in flight', part: 'set-clear', key: 'later', unit: 'ns' },
  { what: 'Node: refresh one of 1,000,000', part: 'refresh', key: 'refresh', unit: 'ns' },
  { what: 'Node: set and run, CPU', part: 'set-fire', key: 'cpu', unit: 'ns' },
  { what: 'Node: memory per pending timer', part: 'hold', key: 'resident', unit: 'bytes' },
  {
    what: 'Node: memory per timer of `schedule`',
    part: 'hold',
    key: 'resident',
    unit: 'bytes',
    ours: 'addon: schedule, numbers',
  },
  { what: 'lru-cache with `ttlAutopurge`, by `register`, CPU', ...inProgram('lru-cache, distinct ttls') },
  {
    what: '`TimeoutMap` instead of lru-cache, CPU',
    ...inProgram('lru-cache, distinct ttls', 'TimeoutMap'),
  },
  { what: 'Idle timers of 100,000 connections, by `register`, CPU', ...inProgram('idle timers') },
  { what: '`timerGroup` instead of idle timers, CPU', ...inProgram('idle timers', 'timerGroup') },
]

/** @type {Comparison[]} */
const losses = [
  { what: 'Node: HTTP server under load, CPU per request', part: 'service', key: 'cpu', unit: 'µs' },
  { what: 'p-timeout, by `register`, CPU', ...inProgram('p-timeout') },
  { what: 'Node: ten timers, CPU per second', part: 'few', key: 'cpu', unit: 'ms' },
  { what: 'Node: median lateness', part: 'set-fire', key: 'late50', unit: 'ms' },
  {
    what: "Node: first `import` (Node's timers: an empty module)",
    part: 'import',
    key: 'imported',
    unit: 'ms',
    native: 'an empty module',
    ours: 'timeout-wheel',
  },
  { what: 'WebKitGTK: run 100,000 overdue timers', ...inPage('WebKitGTK', 'browser-burst', 'total', 'ms') },
]

/**
 * @param {string} page
 * @param {string} part
 * @param {string} key
 * @param {string} unit
 */
function inPage(page, part, key, unit) {
  return { part, key, unit, native: `${page}: native setTimeout`, ours: `${page}: wheel, setTimeout` }
}

/**
 * The CPU time of a whole program of the part `packages`.
 *
 * @param {string} program
 * @param {string} [way]  `register`, or what the program uses of this package.
 */
function inProgram(program, way = 'register') {
  return {
    ...{ part: 'packages', key: 'cpu', unit: 'ms' },
    native: `${program}: native`,
    ours: `${program}: ${way}`,
  }
}

/** @param {number} ratio  of native's to ours */
function verdict(ratio) {
  if (ratio > 1.1) return `${format(Number(ratio.toPrecision(2)))} times less`
  if (ratio < 1 / 1.1) return `${format(Number((1 / ratio).toPrecision(2)))} times more`
  return 'no difference'
}

/**
 * A table of the cases in which the package pays, and of those in which it does not.
 *
 * @param {Read} read
 * @returns {string}
 */
export function formatComparison(read) {
  /** @param {Comparison} comparison */
  const line = ({ what, part, key, unit, native = 'native setTimeout', ours = 'addon: setTimeout' }) => {
    const result = read(part)
    const [before, after] = [medianOf(result, native, key), medianOf(result, ours, key)]
    return `| ${what} | ${format(before)} ${unit} | ${format(after)} ${unit} | ${verdict(before / after)} |`
  }
  return [
    '| | Native timers | timeout-wheel | |',
    '| --- | --: | --: | --- |',
    '| **Better with timeout-wheel** | | | |',
    ...gains.map(line),
    '| **Not better** | | | |',
    ...losses.map(line),
  ].join('\n')
}

/** Works that are compared on several lines of Node: a title, the part and its metric. */
const onNodes = /** @type {const} */ ([
  ['set and clear', 'set-clear', 'atOnce', 'ns'],
  ['set and clear amid 1,000,000 of distinct delays', 'distinct', 'atOnce', 'ns'],
  ['refresh one of 1,000,000', 'refresh', 'refresh', 'ns'],
  ['set and run, CPU', 'set-fire', 'cpu', 'ns'],
])

/**
 * Handles on the lines of Node: native, on the addon, on WebAssembly.
 *
 * @param {Read} read
 * @returns {string}
 */
export function formatNodes(read) {
  const rows = onNodes.flatMap(([what, part, key, unit]) =>
    ['', 'node-24/', 'node-26/'].map((folder) => {
      const result = read(`${folder}${part}`)
      const cells = ['native setTimeout', 'addon: setTimeout', 'wasm: setTimeout'].map(
        (label) => `${format(medianOf(result, label, key))} ${unit}`,
      )
      return `| ${[what, result.node, ...cells].join(' | ')} |`
    }),
  )
  return [
    '| | Node | native setTimeout | addon: setTimeout | wasm: setTimeout |',
    '| --- | --- | --: | --: | --: |',
    ...rows,
  ].join('\n')
}
