/** refresh() is lazy: it tells only the handle. The promises hold all the same while former deadlines expire. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained, now, ROUNDING, wholeTurn } from './clock.js'

onEachBackend(({ TimerWheel }) => {
  it('runs no timer early that a slow callback refreshed when it was due itself', async () => {
    const elapsed: number[] = []
    for (let round = 0; round < 10; round++) {
      const wheel = new TimerWheel()
      let refreshed = 0
      wheel.setTimeout(() => {
        busyWait(4)
        refreshed = now()
        second.refresh()
      }, 10)
      const second = wheel.setTimeout(() => elapsed.push(now() - refreshed), 10)
      await wholeTurn()
      busyWait(20)
      await drained(wheel)
    }
    expect(elapsed.length).toBe(10)
    expect(Math.min(...elapsed)).toBeGreaterThanOrEqual(10 - ROUNDING)
  })

  it('keeps a refreshed timer before those set after it, in a tick that fills more than one batch', async () => {
    const delay = 100
    for (let rounds = 0; rounds < 5; ) {
      const wheel = new TimerWheel()
      const ran: number[] = []
      const first = wheel.setTimeout(() => ran.push(-1), delay)
      busyWait(3)
      await wholeTurn()
      // A busy machine has drawn the turn out until the timer was due: that says nothing.
      if (ran.length > 0) continue
      rounds++
      first.refresh()
      for (let i = 0; i < 10_000; i++) wheel.schedule((n: number) => ran.push(n), delay, i)
      busyWait(2 * delay)
      await drained(wheel)
      expect(ran).toEqual(Array.from({ length: 10_001 }, (_, i) => i - 1))
    }
  })
})
