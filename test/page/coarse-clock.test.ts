/**
 * The clock of most pages moves in steps. Its readings are sums of binary fractions, so their last digits are inexact.
 */
import { expect, it } from '@jest/globals'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { scaled } from '../../lib/page/scaled.js'
import { openScheduler } from '../../lib/page/scheduler.js'
import { randomFrom } from '../contract/random.js'
import { scaled as sized } from '../scale.js'
import { numbersTo } from './simulated-page.js'

it.each([
  [1, 1],
  [1, 0.02],
  [10, 1],
  [7, 0.1],
])(
  'runs timers of equal delays in the order of the calls, ticks of %d ms and steps of %d ms',
  (tick, step) => {
    const random = randomFrom(1)
    for (let wheel = 0; wheel < sized(10, 50); wheel++) {
      let time = random() * 300
      const read = (): number => Math.floor(time / step) * (step / 1000) * 1000
      const origin = read()
      const scheduler = openScheduler(
        instantiateWasm,
        () => (read() - origin) / tick,
        () => {},
      )
      if (tick !== 1) scheduler._schedule = scaled(scheduler, tick, 0)
      const ran: number[] = []
      for (let n = 0; n < 2000; n++) {
        scheduler._schedule(0, () => ran.push(n), 300)
        time += random() / 50
      }
      while (scheduler._pending() > 0) {
        time += step
        while (scheduler._step());
      }
      expect(ran).toEqual(numbersTo(2000))
    }
  },
)
