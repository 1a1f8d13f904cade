/** Connects the parts of the page, and makes its frames. */
import type { Implementation } from './cell-timers.js'
import { Charts } from './charts.js'
import { Grid } from './grid.js'
import { Meter, tellsHeap } from './meter.js'
import { Population } from './population.js'
import { measureBusy } from './spare-time.js'
import { collectSweep } from './sweep.js'
import { gridPalette } from './theme.js'
import { Touch } from './touch.js'
import { type Choice, Turns } from './turns.js'

function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}

const controls = byId<HTMLFormElement>('controls')
const countInput = byId<HTMLInputElement>('count')
const sweepInput = byId<HTMLInputElement>('sweep')
const stage = byId('stage')

/** Milliseconds for which the slider must rest before the cells are made. */
const SLIDING = 150

const formatCount = new Intl.NumberFormat('en')
const turns = new Turns(changeImplementation)
const meter = new Meter(turns.current)
const grid = new Grid(byId('grid'), byId<HTMLCanvasElement>('cells'))
const charts = new Charts(document.querySelectorAll<HTMLElement>('[data-quantity]'))
const touch = new Touch(grid, byId('grid'), byId('cursor'), (row, column) => {
  byId('position').textContent = `Row ${row}, column ${column}`
})
const meterBusy = measureBusy(showSample)
let population = populate()
/** The cells that a frame touches. */
let touched = new Uint32Array(population.size)

/** Counts of the line below the grid, since it was last written. */
let rearmed = 0
let ranOut = 0
let changeSoon: number | undefined
let countedSince = performance.now()

function showCount(): void {
  const size = Number(countInput.value)
  for (const place of document.querySelectorAll('.count')) place.textContent = formatCount.format(size)
  countInput.setAttribute('aria-valuetext', `${formatCount.format(size)} cells`)
}

function populate(): Population {
  const size = Number(countInput.value)
  layOut(size)
  return new Population(size, turns.current, meter.addLate)
}

function layOut(size: number): void {
  // The cells decide the height of the stage. The style sheet limits it.
  grid.layOut(size, stage.clientWidth, Number.parseFloat(getComputedStyle(stage).maxHeight))
}

function changeCount(): void {
  population.stop()
  population = populate()
  touched = new Uint32Array(population.size)
  meter.reset()
  beginCounting()
}

function changeImplementation(implementation: Implementation): void {
  population.use(implementation)
  meter.use(implementation)
  charts.add(implementation, undefined, meter)
  showImplementation()
  beginCounting()
}

function beginCounting(): void {
  rearmed = 0
  ranOut = population.ranOut
  countedSince = performance.now()
  for (const id of ['rearmed', 'ran-out']) byId(id).textContent = '–'
}

function showImplementation(): void {
  document.documentElement.dataset.running = turns.current
  grid.usePalette(gridPalette(turns.current))
}

function makeFrame(): void {
  const now = performance.now()
  population.now = now
  meter.addFrame(now)
  meterBusy(now)
  let count = touch.collect(population.size, touched, 0)
  if (sweepInput.checked) count = collectSweep(grid, now, population.size, touched, count)
  if (count > 0) meter.addRearmed(count, population.touch(touched, count))
  rearmed += count
  grid.paint(population)
  requestAnimationFrame(makeFrame)
}

function showSample(busy: number): void {
  charts.add(turns.current, meter.take(busy), meter)
  const now = performance.now()
  const perSecond = (count: number): string =>
    formatCount.format(Math.round((count / (now - countedSince)) * 1000))
  byId('rearmed').textContent = perSecond(rearmed)
  byId('ran-out').textContent = perSecond(population.ranOut - ranOut)
  rearmed = 0
  ranOut = population.ranOut
  countedSince = now
}

const scheme = matchMedia('(prefers-color-scheme: dark)')
const stillness = matchMedia('(prefers-reduced-motion: reduce)')

controls.addEventListener('submit', (event) => event.preventDefault())
for (const input of controls.querySelectorAll<HTMLInputElement>('[name=timers]')) {
  input.addEventListener('change', () => turns.choose(input.value as Choice))
}
countInput.addEventListener('input', () => {
  showCount()
  window.clearTimeout(changeSoon)
  changeSoon = window.setTimeout(changeCount, SLIDING)
})
scheme.addEventListener('change', () => {
  showImplementation()
  charts.redraw()
})
stillness.addEventListener('change', () => {
  sweepInput.checked = !stillness.matches
})
document.addEventListener('visibilitychange', () => meter.settle())
window.addEventListener('resize', () => layOut(population.size))

sweepInput.checked = !stillness.matches
if (!tellsHeap()) byId('heap').classList.add('untold')
showCount()
showImplementation()
turns.choose(new FormData(controls).get('timers') as Choice)
requestAnimationFrame(makeFrame)
