/**
 * node bench/core/charts.mjs: draws the charts of results/core.json again.
 *
 * Two kinds. `core-<part>.svg`: bars, a design each, for every kind of delays at the part's largest common size.
 * `core-<part>-growth.svg`: lines, a design each, from a thousand timers to a million or more.
 *
 * @import { CoreResult } from './run.mjs'
 * @import { MeasuredRow } from './measure.mjs'
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as echarts from 'echarts'
import { makeStill, resultsFolder } from '../report/charts.mjs'
import { formatCount, formatEnvironment } from '../report/format.mjs'
import { BOUNDS } from './bars.mjs'

/** What the parts measure, for people. */
export const parts = {
  insert: { title: 'Insert', unit: 'ns' },
  cancel: { title: 'Cancel at random', unit: 'ns' },
  'insert-cancel': { title: 'Insert one, cancel one at random', unit: 'ns' },
  reschedule: { title: 'Reschedule at random', unit: 'ns' },
  expire: { title: 'Expire with cascades, per timer', unit: 'ns' },
  'empty-hour': { title: 'An hour of empty time', unit: 'ns' },
  'next-expiry': { title: 'Insert, ask, cancel, ask for the next expiry', unit: 'ns' },
  idle: { title: 'Idle connections being refreshed, per refresh', unit: 'ns' },
  service: { title: 'The simulated service, per request', unit: 'ns' },
  burst: { title: '350,000 due in one tick, per timer', unit: 'ns' },
  bytes: { title: 'Memory per timer, live', unit: 'bytes', counter: 'bytes' },
}

/** @param {string} part */
export const counterOf = (part) => parts[/** @type {keyof typeof parts} */ (part)].counter ?? 'ns'

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
const fontFamily = 'system-ui, Helvetica, Arial, sans-serif'
const width = 860

/**
 * @param {any} option
 * @param {{ title: string, subtitle: string, height: number, result: CoreResult }} about
 */
function render(option, { title, subtitle, height, result }) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height })
  chart.setOption({
    animation: false,
    textStyle: { fontFamily },
    backgroundColor: '#ffffff',
    title: {
      text: title,
      subtext: subtitle,
      left: 16,
      top: 12,
      textStyle: { fontSize: 16, color: '#1f2328' },
      subtextStyle: { fontSize: 11, color: '#59636e' },
    },
    graphic: {
      type: 'text',
      left: 16,
      bottom: 10,
      style: {
        text: `${formatEnvironment(result)} - ${result.date.slice(0, 10)} - median of ${result.settings.turns}`,
        fontSize: 10,
        fontFamily,
        fill: '#59636e',
      },
    },
    ...option,
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return makeStill(svg, title)
}

/**
 * The designs to be drawn: not the loop alone, which is in the tables.
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
 * Bars on a logarithmic axis: a group for each design, a bar for each kind of delays.
 *
 * @param {CoreResult} result
 * @param {string} part
 * @param {MeasuredRow[]} rows
 */
function drawBars(result, part, rows) {
  const { title, unit } = parts[/** @type {keyof typeof parts} */ (part)]
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
 * Lines on logarithmic axes: how a design's cost grows with the number of timers.
 *
 * @param {CoreResult} result
 * @param {string} part
 * @param {MeasuredRow[]} rows  of one kind of delays, by count
 */
function drawGrowth(result, part, rows) {
  const { title, unit } = parts[/** @type {keyof typeof parts} */ (part)]
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
 * The rows of a part that are charted as bars: all kinds of delays at the largest size that each rival has.
 *
 * @param {CoreResult} result
 * @param {string} part
 */
export function barRows(result, part) {
  const rows = result.rows.filter((row) => row.part === part && !row.alone)
  const most = Math.max(...rows.map(({ count }) => count).filter((count) => count <= 1_000_000))
  return rows.filter(({ count, delays }) => count === most && delays !== 'one-slot')
}

/**
 * @param {CoreResult} result
 * @param {string} part
 * @param {string} delays
 */
export const growthRows = (result, part, delays) =>
  result.rows
    .filter((row) => row.part === part && row.delays === delays && !row.alone)
    .sort((a, b) => a.count - b.count)

/**
 * @param {CoreResult} result
 * @param {URL} folder  ends with a slash
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
  for (const part of Object.keys(parts)) {
    const rows = result.rows.filter((row) => row.part === part && !row.alone)
    if (rows.length === 0) continue
    const bars = barRows(result, part)
    if (bars.length > 0) write(`core-${part}`, drawBars(result, part, bars))
    for (const delays of new Set(rows.map((row) => row.delays))) {
      const growth = growthRows(result, part, delays)
      if (growth.length < 3) continue
      const end = delays === 'one-slot' ? 'one-slot' : 'growth'
      write(`core-${part}-${end}`, drawGrowth(result, part, growth))
    }
  }
  return paths
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const result = JSON.parse(readFileSync(new URL('core.json', resultsFolder), 'utf8'))
  for (const path of drawCoreCharts(result, resultsFolder)) console.log(path)
}
