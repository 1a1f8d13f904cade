/** Many timers on one wheel, and many wheels. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'
import { drained, now, ROUNDING } from './clock.js'

onEachBackend((backend) => {
  it('grows again and again, and loses no timer', () => {
    const wheel = manualWheel(backend)
    // A block holds 5,120.
    const count = scaled(40_000, 300_000)
    const runs = new Uint8Array(count)
    const run = (i: number): void => void runs[i]!++
    const ids = Float64Array.from({ length: count }, (_, i) => wheel.schedule(run, 1 + (i % 100_000), i))
    expect(wheel.pending).toBe(count)
    for (let i = 0; i < count; i += 2) wheel.cancel(ids[i]!)
    expect(wheel.pending).toBe(count / 2)
    wheel.advance(100_000)
    expect(wheel.pending).toBe(0)
    expect(runs.every((n, i) => n === i % 2)).toBe(true)
  })

  it('keeps its pending timers when it grows between two advances', () => {
    const wheel = manualWheel(backend)
    const rounds = scaled(8, 40)
    let ran = 0
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 5_000; i++) wheel.schedule(() => ran++, 1 + ((i * 13) % 500))
      wheel.advance(10)
    }
    expect(ran + wheel.pending).toBe(5_000 * rounds)
    wheel.advance(500)
    expect([ran, wheel.pending]).toEqual([5_000 * rounds, 0])
  })

  it('reuses the records of cancelled timers', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    wheel.schedule(() => ran++, 60_000)
    const timeout = wheel.setTimeout(() => ran++, 60_000)
    for (let i = 0; i < scaled(50_000, 500_000); i++) {
      wheel.cancel(wheel.schedule(() => ran++, 1 + (i % 30_000)))
      timeout.refresh()
    }
    expect(wheel.pending).toBe(2)
    wheel.advance(60_000)
    expect(ran).toBe(2)
  })

  it('reschedules timers again and again, to earlier and later deadlines', () => {
    const wheel = manualWheel(backend)
    const order: number[] = []
    const ids = Array.from({ length: 5_000 }, (_, i) => wheel.schedule((n) => order.push(n), 100_000, i))
    for (let round = 0; round < scaled(10, 100); round++) {
      ids.forEach((id, i) => {
        wheel.reschedule(id, 1 + ((i * 7_919 + round * 104_729) % 90_000))
      })
    }
    ids.forEach((id, i) => {
      wheel.reschedule(id, 5_000 - i)
    })
    wheel.advance(5_000)
    expect(order).toEqual(Array.from({ length: 5_000 }, (_, i) => 4_999 - i))
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
