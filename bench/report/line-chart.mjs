/** A line chart of a part: a line for each row, over metrics whose labels are counts. It has the light or dark colours of the page. */

import * as echarts from 'echarts'
import { makeStill } from './charts.mjs'

/**
 * @import { Result } from './format.mjs'
 *
 * @typedef {{ width: number, height: number, name: string }} Size  The name is a class of the style sheet.
 */

/** Stand-ins for variables of the style sheet. ECharts accepts only colours, so the stand-ins are replaced after it has drawn. */
const stand = /** @type {Record<string, string>} */ ({
  native: '#010101',
  addon: '#020202',
  wasm: '#030303',
  rival: '#040404',
  floor: '#070707',
  text: '#050505',
  line: '#060606',
})

/** Patterns of the lines of one group, in order. They differ enough to be told apart on a phone. */
const dashes = ['solid', [7, 4], [2, 3], [9, 3, 2, 3]]
const symbols = ['circle', 'rect', 'triangle', 'diamond']

/** @type {Size[]} */
const sizes = [
  { width: 960, height: 460, name: 'broad' },
  { width: 360, height: 460, name: 'narrow' },
]

/**
 * @param {Result} result
 * @returns {string} two charts; the page shows the one that fits
 */
export const drawLines = (result) => sizes.map((size) => drawOne(result, size)).join('\n') + legend(result)

/**
 * @param {Result} result
 * @param {Size} size
 */
function drawOne({ rows, metrics, title }, { width, height, name }) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height })
  const narrow = width < 500
  chart.setOption({
    animation: false,
    textStyle: { fontFamily: 'inherit' },
    grid: { left: narrow ? 44 : 56, right: narrow ? 16 : 40, top: 34, bottom: 44 },
    xAxis: {
      type: 'category',
      boundaryGap: false,
      data: metrics.map(({ label }) => (narrow ? shorten(label) : label)),
      name: 'pending',
      nameLocation: 'middle',
      nameGap: 28,
      nameTextStyle: { color: stand.text },
      axisLabel: { color: stand.text },
      axisLine: { lineStyle: { color: stand.text } },
    },
    yAxis: {
      type: 'log',
      name: metrics[0].unit,
      nameTextStyle: { color: stand.text },
      axisLabel: { color: stand.text },
      splitLine: { lineStyle: { color: stand.line } },
    },
    series: rows.map((row, i) => ({
      type: 'line',
      name: row.label,
      symbolSize: 6,
      symbol: symbols[orderInGroup(rows, i) % symbols.length],
      lineStyle: { type: dashes[orderInGroup(rows, i) % dashes.length], width: 2 },
      itemStyle: { color: stand[row.group] },
      data: metrics.map(({ key }) => row.values[key]?.median ?? null),
    })),
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return colour(makeStill(svg, title)).replace('<svg ', `<svg class="lines ${name}" role="img" `)
}

/** @param {string} svg */
const colour = (svg) =>
  Object.entries(stand).reduce((text, [name, value]) => text.replaceAll(value, `var(--${name})`), svg)

/** @param {string} count  `10,000` */
const shorten = (count) => count.replace(/,000,000$/, 'M').replace(/,000$/, 'k')

/**
 * @param {Result['rows']} rows
 * @param {number} i
 */
const orderInGroup = (rows, i) => rows.slice(0, i).filter(({ group }) => group === rows[i].group).length

/** @param {Result} result */
function legend({ rows }) {
  const items = rows.map(({ label, group }, i) => {
    const dash = dashes[orderInGroup(rows, i) % dashes.length]
    const pattern = Array.isArray(dash) ? ` stroke-dasharray="${dash.join(' ')}"` : ''
    return (
      `<li><svg width="34" height="10" aria-hidden="true"><path d="M0 5H34" style="stroke: var(--${group})" ` +
      `stroke-width="2"${pattern}/></svg>${label.replace(/&/g, '&amp;')}</li>`
    )
  })
  return `<ul class="legend">${items.join('')}</ul>`
}
