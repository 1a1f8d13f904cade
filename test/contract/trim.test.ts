/** `trim()` gives memory back. Timers and ids behave as if the wheel had kept all of it: see also the programs of model.test.ts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'
import { drained } from './clock.js'

/** More timers than a new wheel has room for. */
const MANY = 6_000

const schedule = (wheel: Wheel): number[] => Array.from({ length: MANY }, () => wheel.schedule(() => {}, 10))

onEachBackend((backend) => {
  it('gives no id of any wheel twice and ignores all former ids, however often it is trimmed', () => {
    const wheels = [manualWheel(backend), manualWheel(backend)]
    const ids = new Set<number>()
    let former: number[] = []
    let known = 0
    for (let round = 0; round < 8; round++) {
      const next = wheels.flatMap((_, i) => schedule(wheels[(i + round) % 2]!))
      for (const id of next) ids.add(id)
      for (const wheel of wheels) {
        const isKnown = (id: number): boolean => wheel.cancel(id) || wheel.reschedule(id, 10)
        known += former.filter(isKnown).length
        wheel.advance(10)
        wheel.trim()
      }
      former = next
    }
    expect([ids.size, known]).toEqual([16 * MANY, 0])
  })

  it('continues after a microtask of a callback clears all other due timers and trims the wheel', async () => {
    const wheel = new backend.TimerWheel()
    let [ran, cleared] = [0, 0]
    const handles = Array.from({ length: 2 * MANY }, (_, i) =>
      wheel.setTimeout(() => {
        ran++
        if (i !== 10) return
        void Promise.resolve().then(() => {
          for (const handle of handles) handle.close()
          cleared = ran
          wheel.trim()
          wheel.setTimeout(() => ran++, 1)
        })
      }, 1),
    )
    await drained(wheel)
    expect([ran, wheel.pending]).toEqual([cleared + 1, 0])
    wheel.stop()
  })
})
