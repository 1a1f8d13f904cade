/**
 * The charts of bench/core/README.md.
 *
 * `core-<part>.svg` has a group of bars for each design: one bar for each kind of delays, at the largest size that all designs
 * have. `core-<part>-growth.svg` has a line for each design, from a thousand timers to a million or more;
 * `core-<part>-one-slot.svg` is the same for timers that share one slot of every ring.
 *
 * @import { CoreResult } from './run.mjs'
 * @import { MeasuredRow } from './measure.mjs'
 */

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { renderSvg } from '../report/charts.mjs'
import { formatCount, formatEnvironment } from '../report/format.mjs'
import { BOUNDS } from './bars.mjs'

/**
 * Titles of the parts, and the charts that the page shows: bars, and lines by size for these kinds of delays.
 *
 * @type {Record<string, { title: string, unit: 'ns' | 'bytes', bars?: boolean, growth?: string[] }>}
 */
const parts = {
  insert: { title: 'Insert', unit: 'ns', bars: true, growth: ['uniform'] },
  cancel: { title: 'Cancel at random', unit: 'ns', bars: true },
  'insert-cancel': { title: 'Insert one, cancel one at random', unit: 'ns', bars: true },
  reschedule: { title: 'Reschedule at random', unit: 'ns', bars: true },
  expire: {
    title: 'Expire with cascades, per timer',
    unit: 'ns',
    bars: true,
    growth: ['uniform', 'one-slot'],
  },
  'empty-hour': { title: 'An hour of empty time', unit: 'ns', growth: ['far'] },
  'next-expiry': { title: 'Insert, ask, cancel, ask for the next expiry', unit: 'ns', growth: ['far'] },
  idle: { title: 'Idle connections being refreshed, per refresh', unit: 'ns', bars: true },
  service: { title: 'The simulated service, per request', unit: 'ns', bars: true },
  burst: { title: '350,000 due in one tick, per timer', unit: 'ns', bars: true },
  bytes: { title: 'Memory per timer, live', unit: 'bytes', bars: true },
}

/** @param {string} part */
export const counterOf = (part) => parts[part].unit

const ownColor = '#2f6fde'
const palette = [
  '#b35900',
  '#7a4fd0',
  '#1a7f37',
  '#bf3989',
  '#57606a',
  '#9a6700',
  '#0e7c86',
  '#cf222e',
  '#6e7781',
  '#8250df',
  '#116329',
]
const shades = ['#2f6fde', '#8bb4f5', '#1b3f80', '#c4d9fb']
const greys = ['#7d8590', '#b1bac4', '#4a5058', '#d5dade']

/**
 * @param {any} option
 * @param {{ title: string, subtitle: string, height: number, result: CoreResult }} about
 */
function render(option, { title, subtitle, height, result }) {
  const { date, settings } = result
  const footer = `${formatEnvironment(result)} - ${date.slice(0, 10)} - median of ${settings.turns}`
  return renderSvg({ name: title, title, subtitle, footer, height }, option)
}

/**
 * The designs that are drawn. The bounds are only in the tables.
 *
 * @param {CoreResult} result
 */
const drawn = ({ designs }) => designs.filter(({ name }) => !BOUNDS.includes(name))

/** @param {number} value */
const short = (value) =>
  value >= 1e6
    ? `${(value / 1e6).toPrecision(3)} M`
    : value >= 1000
      ? formatCount(Math.round(value))
      : value.toPrecision(3)

/**
 * Bars on a logarithmic axis: a group for each design, and in it a bar for each kind of delays.
 *
 * @param {CoreResult} result
 * @param {string} part
 * @param {MeasuredRow[]} rows
 */
function drawBars(result, part, rows) {
  const { title, unit } = parts[part]
  const counter = counterOf(part)
  const designs = drawn(result)
  const height = 130 + designs.length * (12 + 14 * rows.length)
  const values = rows.flatMap((row) =>
    designs.map(({ name }) => row.cells[name]?.[counter].median ?? Infinity),
  )
  const least = 10 ** Math.floor(Math.log10(Math.min(...values)))
  const series = rows.map((row, i) => ({
    name: row.delays,
    type: 'bar',
    barWidth: 11,
    data: designs.map(({ name }) => {
      const value = row.cells[name]?.[counter].median
      return {
        value: value ?? least,
        itemStyle: { color: name === 'ours' ? shades[i] : greys[i], opacity: value === undefined ? 0 : 1 },
        label: {
          show: true,
          position: 'right',
          fontSize: 9,
          color: '#1f2328',
          formatter: value === undefined ? `${row.delays}: over the limit` : `${short(value)}  ${row.delays}`,
        },
      }
    }),
  }))
  const about = {
    title: `${title} (${unit}; less is better)`,
    subtitle: `${formatCount(rows[0].count)} ${part === 'service' ? 'connections' : 'timers'}; logarithmic`,
    height,
    result,
  }
  return render(
    {
      grid: { left: 230, right: 120, top: 66, bottom: 52 },
      xAxis: { type: 'log', min: least, splitLine: { lineStyle: { color: '#e6e8eb' } } },
      yAxis: {
        type: 'category',
        inverse: true,
        data: designs.map((design) => design.title),
        axisTick: { show: false },
        axisLabel: { color: '#1f2328' },
      },
      series,
    },
    about,
  )
}

/**
 * Lines on logarithmic axes: the cost of each design by the number of timers.
 *
 * @param {CoreResult} result
 * @param {string} part
 * @param {MeasuredRow[]} rows  Of one kind of delays, ordered by count.
 */
function drawGrowth(result, part, rows) {
  const { title, unit } = parts[part]
  const counter = counterOf(part)
  const series = drawn(result).map(({ name, title: label }, i) => ({
    name: label,
    type: 'line',
    symbolSize: 5,
    z: name === 'ours' ? 5 : 2,
    lineStyle: { width: name === 'ours' ? 3.5 : 1.5 },
    itemStyle: { color: name === 'ours' ? ownColor : palette[(i - 1) % palette.length] },
    data: rows.flatMap((row) => {
      const value = row.cells[name]?.[counter].median
      return value === undefined ? [] : [[row.count, value]]
    }),
  }))
  const about = {
    title: `${title}: how it grows (${unit})`,
    subtitle: `${rows[0].delays}, by the number of timers; both axes logarithmic; a line that ends is over the limit`,
    height: 460,
    result,
  }
  return render(
    {
      grid: { left: 70, right: 250, top: 70, bottom: 56 },
      legend: { orient: 'vertical', right: 12, top: 70, textStyle: { fontSize: 11 } },
      xAxis: { type: 'log', min: rows[0].count, axisLabel: { formatter: formatCount } },
      yAxis: { type: 'log', splitLine: { lineStyle: { color: '#e6e8eb' } } },
      series,
    },
    about,
  )
}

/**
 * All kinds of delays at the largest size that all designs have.
 *
 * @param {CoreResult} result
 * @param {string} part
 */
function barRows(result, part) {
  const rows = result.rows.filter((row) => row.part === part && !row.alone)
  const most = Math.max(...rows.map(({ count }) => count).filter((count) => count <= 1_000_000))
  return rows.filter(({ count, delays }) => count === most && delays !== 'one-slot')
}

/**
 * @param {CoreResult} result
 * @param {string} part
 * @param {string} delays
 */
const growthRows = (result, part, delays) =>
  result.rows
    .filter((row) => row.part === part && row.delays === delays && !row.alone)
    .sort((a, b) => a.count - b.count)

/**
 * @param {CoreResult} result
 * @param {URL} folder  Ends with a slash.
 * @returns {string[]} the paths written
 */
export function drawCoreCharts(result, folder) {
  /** @type {string[]} */
  const paths = []
  /** @param {string} name @param {string} svg */
  const write = (name, svg) => {
    const file = new URL(`${name}.svg`, folder)
    writeFileSync(file, `${svg}\n`)
    paths.push(fileURLToPath(file))
  }
  for (const [part, { bars, growth = [] }] of Object.entries(parts)) {
    const rows = bars ? barRows(result, part) : []
    if (rows.length > 0) write(`core-${part}`, drawBars(result, part, rows))
    for (const delays of growth) {
      const lines = growthRows(result, part, delays)
      const end = delays === 'one-slot' ? 'one-slot' : 'growth'
      if (lines.length >= 3) write(`core-${part}-${end}`, drawGrowth(result, part, lines))
    }
  }
  return paths
}
