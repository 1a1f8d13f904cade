/** A chart for each quantity: the last seconds with a line for each implementation, and the medians of both above it. */
import uPlot from 'uplot'
import type { Implementation } from './cell-timers.js'
import type { Measured, Meter, Quantity } from './meter.js'
import { color } from './theme.js'

const IMPLEMENTATIONS = ['native', 'wheel'] as const
/** Seconds that a chart shows. */
const SHOWN = 40
/** The share of the values that the scale covers. A few extreme values leave the chart at its top. */
const WITHIN = 0.95
const HEIGHT = 84
/** Numbers from this on are shown without decimals. */
const EXACT_BELOW = 100

class Chart {
  readonly quantity: Quantity
  readonly #card: HTMLElement
  readonly #holder: HTMLElement | null
  readonly #digits: number
  #plot: uPlot | undefined

  constructor(card: HTMLElement) {
    this.#card = card
    this.quantity = card.dataset.quantity as Quantity
    this.#digits = Number(card.dataset.digits)
    // One card has no chart.
    this.#holder = card.querySelector('.plot')
  }

  draw(data: uPlot.AlignedData): void {
    if (this.#holder === null) return
    this.#plot?.destroy()
    this.#plot = new uPlot(this.#options(this.#holder.clientWidth), data, this.#holder)
  }

  show(data: uPlot.AlignedData, meter: Meter): void {
    this.#plot?.setData(data)
    for (const implementation of IMPLEMENTATIONS) {
      const value = meter.median(implementation, this.quantity)
      this.#card.querySelector(`.${implementation} b`)!.textContent =
        value === undefined ? '\u2013' : value.toFixed(value < EXACT_BELOW ? this.#digits : 0)
    }
  }

  resize(): void {
    if (this.#holder !== null) this.#plot?.setSize({ width: this.#holder.clientWidth, height: HEIGHT })
  }

  #options(width: number): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: color('--muted'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
    }
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 14, 0, 0],
      scales: {
        x: { time: false, range: [-SHOWN, 0] },
        y: { range: (plot) => [0, topOf(plot)] },
      },
      axes: [
        { ...axis, size: 22, gap: 5, splits: () => [-40, -20, 0], values: (_plot, at) => at.map(secondsAgo) },
        { ...axis, size: 40, gap: 4, space: 26 },
      ],
      series: [
        {},
        ...IMPLEMENTATIONS.map((implementation) => ({
          stroke: color(`--${implementation}`),
          width: 2,
          points: { show: false },
        })),
      ],
    }
  }
}

function secondsAgo(at: number): string {
  return at === 0 ? 'now' : `\u2212${-at} s`
}

function topOf(plot: uPlot): number {
  const values = [...plot.data[1]!, ...plot.data[2]!].filter((value) => typeof value === 'number')
  values.sort((a, b) => a - b)
  return Math.max(1, (values[Math.floor(values.length * WITHIN)] ?? values.at(-1) ?? 0) * 1.2)
}

export class Charts {
  readonly #charts: Chart[]
  #samples: { at: number; implementation: Implementation; values: Measured | undefined }[] = []

  /** @param cards elements with a quantity in `data-quantity` and its number of decimals in `data-digits` */
  constructor(cards: Iterable<HTMLElement>) {
    this.#charts = Array.from(cards, (card) => new Chart(card))
    for (const chart of this.#charts) chart.draw(this.#dataOf(chart.quantity))
    window.addEventListener('resize', () => {
      for (const chart of this.#charts) chart.resize()
    })
  }

  /** @param values undefined breaks the lines */
  add(implementation: Implementation, values: Measured | undefined, meter: Meter): void {
    const at = performance.now()
    this.#samples.push({ at, implementation, values })
    this.#samples = this.#samples.filter((sample) => sample.at > at - SHOWN * 1000)
    for (const chart of this.#charts) chart.show(this.#dataOf(chart.quantity), meter)
  }

  /** Draws all charts again with the current colours. */
  redraw(): void {
    for (const chart of this.#charts) chart.draw(this.#dataOf(chart.quantity))
  }

  #dataOf(quantity: Quantity): uPlot.AlignedData {
    const now = performance.now()
    const line = (of: Implementation): (number | null)[] =>
      this.#samples.map(({ implementation, values }) =>
        implementation === of ? (values?.[quantity] ?? null) : null,
      )
    return [this.#samples.map(({ at }) => (at - now) / 1000), line('native'), line('wheel')]
  }
}
