/** Order numbers start again after a billion operations; in these tests after a few. */
import { describe, expect, it, jest } from '@jest/globals'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { EPOCH_LENGTH, ORDER_NUMBER } from '../../lib/memory/layout.js'
import { pageHostOf } from '../../lib/page/host.js'
import { randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'
import { virtualScheduler } from './virtual-scheduler.js'

type Page = typeof import('../../lib/page/scheduler.js') & typeof import('../../lib/page/timers.js')

/** Loads the code of pages with a number of its own from which order numbers start again. */
function pageWith(lastOrder: number): Page {
  const constants = '../../lib/common/epochs.js'
  jest.resetModules()
  jest.doMock(constants, () => ({ ...jest.requireActual<object>(constants), LAST_ORDER: lastOrder }))
  return { ...require('../../lib/page/scheduler.js'), ...require('../../lib/page/timers.js') }
}

/** Performs 2,000 random operations in virtual time. Returns which callbacks ran, and when, and the counts at the end. */
function logOf(seed: number, lastOrder: number): string[] {
  const { below } = randomFrom(seed)
  const TimerWheel = pageWith(lastOrder).wheelOn(instantiateWasm, pageHostOf(globalThis), globalThis)
  const wheel = new TimerWheel({ driver: 'manual' })
  const log: string[] = []
  let time = 0
  const note = (name: string): void => {
    log.push(`${time} ${name}`)
    // Set while other due timers still wait.
    if (below(4) === 0) wheel.schedule(note, below(10), `${name}'`)
  }
  const ids: number[] = []
  const handles: { refresh(): unknown }[] = []
  const operations = [
    (n: number) => ids.push(wheel.schedule(note, below(40), `number ${n}`)),
    (n: number) => handles.push(wheel.setTimeout(note as never, below(40), `handle ${n}` as never)),
    () => wheel.reschedule(ids[below(ids.length)] ?? 0, below(40)),
    () => handles[below(handles.length)]?.refresh(),
    () => wheel.cancel(ids[below(ids.length)] ?? 0),
  ]
  for (let n = 0; n < 2000; n++) {
    operations[below(operations.length)]!(n)
    if (below(8) > 0) continue
    for (let ms = below(4); ms > 0; ms--) {
      time++
      wheel.advance(1)
    }
  }
  log.push(JSON.stringify({ ...wheel.stats(), bytes: 0 }))
  log.push(...wheel.stop().map(({ args, remaining }) => `${args} is left with ${remaining}`))
  return log
}

describe('when order numbers start again', () => {
  const seeds = Array.from({ length: scaled(6, 20) }, (_, i) => i + 1)

  it.each(seeds)('runs timers in the same order as without it (program %d)', (seed) => {
    const expected = logOf(seed, 2 ** 30)
    expect(expected.length).toBeGreaterThan(500)
    expect(logOf(seed, 53 * seed)).toEqual(expected)
  })

  it('gives pending timers the lowest numbers, in their order, and new timers the next ones', () => {
    const lastOrder = 3 * EPOCH_LENGTH
    const { scheduler } = virtualScheduler(pageWith(lastOrder).openScheduler)
    const units: number[] = []
    const { below } = randomFrom(1)
    for (let n = 0; n < 2_000; n++) {
      if (units.length > 20) scheduler._cancel(units.splice(below(units.length), 1)[0]!)
      units.push(scheduler._schedule(0, () => {}, 50))
      const numbers = units.map((unit) => scheduler._words()[(unit << 2) | ORDER_NUMBER]!)
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      // The check comes once in an epoch.
      expect(numbers.at(-1)).toBeLessThanOrEqual(lastOrder + EPOCH_LENGTH)
    }
  })

  it('runs no timer early that was set since the last reading of the clock', () => {
    const { clock, scheduler, run } = virtualScheduler(pageWith(2 * EPOCH_LENGTH + 30).openScheduler)
    clock.time = 0.5
    // So that the next number is not the number of pending timers.
    for (let n = 0; n < EPOCH_LENGTH; n++) scheduler._cancel(scheduler._schedule(0, () => {}, 100))
    const waited: number[] = []
    for (let n = 0; n < 300; n++) {
      const set = clock.time
      // Due after all are set, because running a timer reads the clock.
      scheduler._schedule(0, () => waited.push(clock.time - set), 100)
      // So short that 64 operations share a reading. A tick ends in the epoch before the renumbering.
      clock.time += 0.007
    }
    run()
    expect(waited.length).toBe(300)
    expect(Math.min(...waited)).toBeGreaterThanOrEqual(100)
  })
})
