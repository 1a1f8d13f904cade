/** A card for each quantity: the medians of both implementations, and a line for each of them through the last seconds. */
import type { Implementation } from './cell-timers.js'
import { type Meter, type Quantity, quantile, type Sample, SETTLING } from './meter.js'

/** Title and unit. */
const QUANTITIES: Record<Quantity, [title: string, unit: string]> = {
  rearm: ['One restart', 'µs'],
  busy: ['Main thread busy', 'ms per second'],
  frame: ['Longest frame', 'ms'],
  late: ['Lateness, 99 of 100', 'ms'],
  heap: ['JavaScript heap', 'MB, without the browser’s timeouts'],
}
const IMPLEMENTATIONS = ['native', 'wheel'] as const
/** Seconds that a chart shows. */
const SHOWN = 40
/** The share of the values that the scale covers. A few extreme values leave the chart at its top. */
const WITHIN = 0.95

const cardOf = (quantity: string, title: string, unit: string): string => `
  <article data-quantity="${quantity}">
    <h2>${title} <small>${unit}</small></h2>
    <p><span class="native">setTimeout <b>–</b></span><span class="wheel">timeout-wheel <b>–</b></span></p>
    <div class="plot" aria-hidden="true">
      <div class="scale"></div>
      <svg viewBox="${-SHOWN} 0 ${SHOWN} 1" preserveAspectRatio="none">
        <path class="native" /><path class="wheel" />
      </svg>
      <div class="times"><span>−${SHOWN} s</span><span>−${SHOWN / 2} s</span><span>now</span></div>
    </div>
  </article>`

export class Charts {
  readonly #holder: HTMLElement
  readonly #meter: Meter

  constructor(holder: HTMLElement, meter: Meter) {
    this.#holder = holder
    this.#meter = meter
    holder.innerHTML = Object.entries(QUANTITIES)
      .filter(([quantity]) => quantity !== 'heap' || 'memory' in performance)
      .map(([quantity, [title, unit]]) => cardOf(quantity, title, unit))
      .join('')
  }

  show(): void {
    for (const card of this.#holder.querySelectorAll<HTMLElement>('article')) {
      this.#showCard(card, card.dataset.quantity as Quantity)
    }
  }

  #showCard(card: HTMLElement, quantity: Quantity): void {
    const now = performance.now()
    const shown = (implementation: Implementation): Sample[] =>
      this.#meter.samples[implementation].filter(
        (sample) => sample.at > now - SHOWN * 1000 && !Number.isNaN(sample[quantity]),
      )
    const values = IMPLEMENTATIONS.flatMap(shown).map((sample) => sample[quantity])
    const top = roundUp(quantile(values, WITHIN))
    card.querySelector('.scale')!.textContent = `${top}\n${top / 2}\n0`
    for (const implementation of IMPLEMENTATIONS) {
      const median = this.#meter.median(implementation, quantity)
      card.querySelector(`.${implementation} b`)!.textContent = Number.isNaN(median)
        ? '–'
        : `${Number(median.toPrecision(3))}`
      let before = Number.NEGATIVE_INFINITY
      const steps = shown(implementation).map((sample) => {
        const step = sample.at - before > SETTLING ? 'M' : 'L'
        before = sample.at
        return `${step}${(sample.at - now) / 1000} ${1 - sample[quantity] / top}`
      })
      card.querySelector(`path.${implementation}`)!.setAttribute('d', steps.join(''))
    }
  }
}

/** Rounds up to one digit, at least 1, so that half of it is a short number, too. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value))
  return value > 1 ? Math.ceil(value / unit) * unit : 1
}
