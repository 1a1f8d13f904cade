/** Connects the parts of the page, and makes its frames. */
import type { Implementation } from './cell-timers.js'
import { makeCards } from './charts.js'
import { Grid } from './grid.js'
import { Meter } from './meter.js'
import { Population } from './population.js'
import { measureBusy } from './spare-time.js'
import { listen, sweep } from './touch.js'

/** Milliseconds of a turn, if the implementations take turns. */
const TURN = 8000

const byId = (id: string): HTMLElement => document.getElementById(id)!
const controls = byId('controls') as HTMLFormElement
const countInput = byId('count') as HTMLInputElement
const sweepInput = byId('sweep') as HTMLInputElement
const stillness = matchMedia('(prefers-reduced-motion: reduce)')
const rounded = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

const meter = new Meter()
const showCards = makeCards(byId('charts'), meter)
const grid = new Grid()
const meterBusy = measureBusy(showSample)
let running: Implementation = 'native'
let turnBegan = performance.now()
let population = populate()

function populate(): Population {
  const size = countInput.valueAsNumber
  grid.layOut(size)
  meter.reset()
  return new Population(size, running, meter)
}

/** Changes the implementation if the controls, or the end of a turn, ask for it. */
function takeTurns(now: number): void {
  const choice = new FormData(controls).get('timers') as Implementation | 'turns'
  const other = running === 'native' ? 'wheel' : 'native'
  if (choice === running || (choice === 'turns' && now < turnBegan + TURN)) return
  running = other
  turnBegan = now
  document.documentElement.dataset.running = running
  population.use(running)
  meter.settle()
}

function makeFrame(): void {
  const now = performance.now()
  takeTurns(now)
  meter.frames.push(now - population.now)
  population.now = now
  meterBusy(now)
  if (sweepInput.checked) sweep(grid, now)
  if (grid.count > 0) meter.rearming += population.touch(grid.touched, grid.count)
  meter.rearmed += grid.count
  grid.count = 0
  grid.paint(population)
  requestAnimationFrame(makeFrame)
}

function showSample(busy: number): void {
  const { rearmed, ranOut } = meter.take(running, busy)
  byId('rearmed').textContent = rounded.format(rearmed)
  byId('ran-out').textContent = rounded.format(ranOut)
  showCards()
}

function followStillness(): void {
  sweepInput.checked = !stillness.matches
}

countInput.addEventListener('input', () => {
  for (const place of document.querySelectorAll('.count')) {
    place.textContent = rounded.format(countInput.valueAsNumber)
  }
})
countInput.addEventListener('change', () => {
  population.stop()
  population = populate()
})
stillness.addEventListener('change', followStillness)
document.addEventListener('visibilitychange', () => meter.settle())
window.addEventListener('resize', () => grid.layOut(grid.touched.length))
listen(grid, byId('cursor'), byId('position'))
followStillness()
makeFrame()
