/** Many wheels at once. For many timers on one wheel see order.test.ts. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { drained, now, ROUNDING } from './clock.js'

onEachBackend((backend) => {
  it('serves 200 wheels at once, each with its own ticks', async () => {
    const wheels = Array.from({ length: 200 }, (_, i) => new backend.TimerWheel({ tick: 1 + (i % 7) }))
    const left: number[] = []
    let ran = 0
    for (let round = 0; round < 10; round++) {
      for (const [i, wheel] of wheels.entries()) {
        const delay = (i * 31 + round * 17) % 100
        const due = now() + delay
        wheel.schedule(() => {
          ran++
          if (now() < due - ROUNDING) left.push(due - now())
        }, delay)
      }
    }
    for (const wheel of wheels) await drained(wheel)
    expect([ran, left]).toEqual([2_000, []])
  })
})
