/** refresh() is lazy: it changes only the handle. The wheel keeps its promises while the former deadlines expire. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained, now, ROUNDING, wholeTurn } from './clock.js'

onEachBackend(({ TimerWheel }) => {
  it('runs no timer early that was already due when a slow callback refreshed it', async () => {
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

  it('runs a refreshed timer before later timers of its tick, also if the tick fills more than one batch', async () => {
    const delay = 100
    for (let rounds = 0; rounds < 2; ) {
      const wheel = new TimerWheel()
      const ran: number[] = []
      const first = wheel.setTimeout(() => ran.push(-1), delay)
      busyWait(3)
      await wholeTurn()
      // On a busy machine the turn may last until the timer is due. Such an attempt proves nothing.
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
