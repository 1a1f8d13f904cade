/** Many timers on one wheel, and many wheels. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'
import { drained, now, ROUNDING } from './clock.js'

onEachBackend((backend) => {
  it('grows again and again, also between two advances, and loses no timer', () => {
    const wheel = manualWheel(backend)
    // A block holds 5,120.
    const rounds = scaled(8, 60)
    const count = 5_000 * rounds
    const runs = new Uint8Array(count)
    const run = (i: number): void => void runs[i]!++
    for (let i = 0; i < count; i++) {
      const id = wheel.schedule(run, 100 + ((i * 13) % 100_000), i)
      if (i % 3 === 0) wheel.reschedule(id, 30_000 + (i % 100))
      if (i % 2 === 0 && wheel.cancel(id)) wheel.schedule(run, 60_000, i)
      if (i % 5_000 === 0) wheel.advance(10)
    }
    expect(wheel.pending + runs.filter((n) => n > 0).length).toBe(count)
    wheel.advance(100_100)
    expect(wheel.pending).toBe(0)
    expect(runs.every((n) => n === 1)).toBe(true)
  })

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
