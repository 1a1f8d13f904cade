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

/** Makes the cards in `holder`. The function that it returns shows the samples of now. */
export function makeCards(holder: HTMLElement, meter: Meter): () => void {
  holder.innerHTML = Object.entries(QUANTITIES)
    .filter(([quantity]) => quantity !== 'heap' || 'memory' in performance)
    .map(([quantity, [title, unit]]) => cardOf(quantity, title, unit))
    .join('')
  return () => {
    for (const card of holder.querySelectorAll('article')) showCard(card, meter)
  }
}

function showCard(card: HTMLElement, meter: Meter): void {
  const quantity = card.dataset.quantity as Quantity
  const now = performance.now()
  const begin = now - SHOWN * 1000
  const shown = (implementation: Implementation): Sample[] =>
    meter.samples[implementation].filter((sample) => sample.at > begin && !Number.isNaN(sample[quantity]))
  const values = IMPLEMENTATIONS.flatMap(shown).map((sample) => sample[quantity])
  const top = roundUp(quantile(values, WITHIN))
  card.querySelector('.scale')!.textContent = `${top}\n${top / 2}\n0`
  for (const implementation of IMPLEMENTATIONS) {
    const median = meter.median(implementation, quantity)
    const text = Number.isNaN(median) ? '–' : `${Number(median.toPrecision(3))}`
    card.querySelector(`.${implementation} b`)!.textContent = text
    const steps = shown(implementation).map(({ at, [quantity]: value }, i, all) => {
      const isNext = i > 0 && at - all[i - 1]!.at <= SETTLING
      return `${isNext ? 'L' : 'M'}${(at - now) / 1000} ${1 - value / top}`
    })
    card.querySelector(`path.${implementation}`)!.setAttribute('d', steps.join(''))
  }
}

/** Rounds up to one digit, at least 1, so that half of it is a short number, too. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value))
  return value > 1 ? Math.ceil(value / unit) * unit : 1
}
