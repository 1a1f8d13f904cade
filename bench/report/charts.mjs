/** Draws <part>.svg from each <part>.json of a folder. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as echarts from 'echarts'
import { formatEnvironment, formatValue, wrap } from './format.mjs'

/** @import { Result } from './format.mjs' */

export const resultsFolder = new URL('../results/', import.meta.url)

const colors = { native: '#8c8c8c', addon: '#2f6fde', wasm: '#7a4fd0', rival: '#c78a2c', floor: '#c4c7cc' }
const fontFamily = 'system-ui, Helvetica, Arial, sans-serif'
const width = 860
const barHeight = 34

/**
 * @typedef {object} Frame
 * @property {string} name  Of the chart, for screen readers.
 * @property {string} title
 * @property {string} subtitle
 * @property {string} footer
 * @property {number} height
 *
 * @param {Frame} frame
 * @param {object} option  Of ECharts.
 * @returns {string}  An SVG document.
 */
export function renderSvg({ name, title, subtitle, footer, height }, option) {
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
      subtextStyle: { fontSize: 11, lineHeight: 15, color: '#59636e' },
    },
    graphic: {
      type: 'text',
      left: 16,
      bottom: 12,
      style: { text: footer, fontSize: 10, fontFamily, fill: '#59636e' },
    },
    ...option,
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return makeStill(svg, name)
}

/** @param {Result} result */
const subtitleOf = ({ note }) => wrap(note, 125)

/**
 * Horizontal bars of the first metric of a part, with whiskers from the least to the greatest turn.
 *
 * @param {Result} result
 * @returns {string} an SVG document
 */
function drawBars(result) {
  const metric = result.metrics[0]
  const rows = result.rows.filter(({ values }) => values[metric.key] !== undefined)
  const summaries = rows.map(({ values }) => values[metric.key])
  const subtitle = subtitleOf(result)
  const top = 62 + 15 * subtitle.length
  return renderSvg(
    {
      name: result.title,
      title: `${result.title} (${[metric.label, metric.unit].filter(Boolean).join(', ')}; less is better)`,
      subtitle: subtitle.join('\n'),
      footer: describeOrigin(result, Math.max(...summaries.map(({ turns }) => turns))),
      height: top + barHeight * rows.length + 62,
    },
    {
      grid: { left: 250, right: 96, top, bottom: 62 },
      xAxis: { type: 'value', splitLine: { lineStyle: { color: '#e6e8eb' } } },
      yAxis: {
        type: 'category',
        inverse: true,
        data: rows.map(({ label }) => label),
        axisTick: { show: false },
        axisLabel: { color: '#1f2328' },
      },
      series: [
        {
          type: 'bar',
          barWidth: 18,
          data: rows.map(({ group }, i) => ({
            value: summaries[i].median,
            itemStyle: { color: colors[group] },
          })),
          markPoint: {
            symbolSize: 0,
            data: summaries.map(({ median, max }, i) => ({
              coord: [max, i],
              label: {
                show: true,
                position: 'right',
                color: '#1f2328',
                formatter: formatValue(median, metric),
              },
            })),
          },
        },
        {
          type: 'custom',
          data: summaries.map(({ min, max }, i) => [i, min, max]),
          encode: { x: [1, 2], y: 0 },
          renderItem: drawWhisker,
          z: 3,
        },
      ],
    },
  )
}

/** Patterns of the lines of one group, in order. */
const dashes = ['solid', 'dashed', 'dotted']

/**
 * A line for each row, and a point for each metric. The labels of the metrics are counts. Both axes are logarithmic.
 *
 * @param {Result} result
 * @returns {string} an SVG document
 */
function drawLines(result) {
  const { rows, metrics, title } = result
  const { unit } = metrics[0]
  const subtitle = subtitleOf(result)
  const top = 66 + 15 * subtitle.length
  const bottom = 92 + 20 * Math.ceil(rows.length / 4)
  return renderSvg(
    {
      name: title,
      title: `${title} (${unit}; less is better)`,
      subtitle: subtitle.join('\n'),
      footer: describeOrigin(result, Math.max(...Object.values(rows[0].values).map(({ turns }) => turns))),
      height: top + 320 + bottom,
    },
    {
      legend: {
        ...{ bottom: 34, left: 16, right: 16, itemWidth: 34 },
        textStyle: { color: '#1f2328', fontSize: 11 },
      },
      grid: { left: 64, right: 32, top, bottom },
      xAxis: { type: 'category', boundaryGap: false, data: metrics.map(({ label }) => label) },
      yAxis: { type: 'log', name: unit, splitLine: { lineStyle: { color: '#e6e8eb' } } },
      series: rows.map((row, i) => ({
        type: 'line',
        name: row.label,
        symbolSize: 5,
        lineStyle: { type: dashOf(result, i), width: 2 },
        itemStyle: { color: colors[row.group] },
        data: metrics.map(({ key }) => row.values[key]?.median ?? null),
      })),
    },
  )
}

/**
 * @param {Result} result
 * @param {number} i  Index of a row.
 */
function dashOf({ rows }, i) {
  const before = rows.slice(0, i).filter(({ group }) => group === rows[i].group)
  return dashes[before.length % dashes.length]
}

/**
 * @param {Result} result
 * @returns {string} an SVG document
 */
const drawChart = (result) => (result.chart === 'lines' ? drawLines(result) : drawBars(result))

/**
 * Removes the rules for hovering pointers, whose numbers differ in each process. Adds a title for screen readers.
 *
 * @param {string} svg
 * @param {string} title
 */
export const makeStill = (svg, title) =>
  svg
    .replace(/<style.*?<\/style>\n?/s, '')
    .replace(/ class="zr[^"]*"/g, '')
    .replace(/^<svg[^>]*>/, (tag) => `${tag}\n<title>${title}</title>`)

/**
 * @param {Result} result
 * @param {number} turns
 */
function describeOrigin(result, turns) {
  const method = turns > 1 ? `median of ${turns}, whiskers: least and greatest` : 'one turn'
  return `${formatEnvironment(result)} - ${result.date.slice(0, 10)} - ${method}`
}

/**
 * @param {unknown} _params
 * @param {any} api
 * @returns {any}
 */
function drawWhisker(_params, api) {
  const row = api.value(0)
  const [left, y] = api.coord([api.value(1), row])
  const [right] = api.coord([api.value(2), row])
  const d = `M${left} ${y - 4}V${y + 4}M${left} ${y}H${right}M${right} ${y - 4}V${y + 4}`
  return { type: 'path', shape: { pathData: d }, style: { stroke: '#1f2328', lineWidth: 1, fill: 'none' } }
}

/**
 * @param {URL} folder  Ends with a slash.
 * @returns {string[]} the paths written
 */
export function drawCharts(folder = resultsFolder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.flatMap((name) => {
    const result = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
    // The folder also holds core.json and instructions.json, which are of other kinds.
    if (result.metrics === undefined) return []
    const chart = new URL(name.replace(/\.json$/, '.svg'), folder)
    writeFileSync(chart, `${drawChart(result)}\n`)
    return [fileURLToPath(chart)]
  })
}
