/** A burst of due timers runs in slices, and other work of the event loop runs between them. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { onEachBackend } from './backends.js'
import { busyWait, turn } from './clock.js'

/** In a page, each slice may run a single callback of the second test. */
const TENTH = scaled(100, 500)

onEachBackend(({ TimerWheel }) => {
  it('runs timers that are set or rescheduled between two slices at their own time, and no cancelled one', async () => {
    const wheel = new TimerWheel({ budget: 0.2 })
    const ran = new Set<number>()
    const run = (i: number): void => {
      ran.add(i)
      busyWait(0.005)
    }
    const ids = Array.from({ length: 10 * TENTH }, (_, i) => wheel.schedule(run, 1, i))
    busyWait(3)
    while (ran.size === 0) await turn()
    expect(ran.size).toBeLessThan(8 * TENTH)
    // All are due and wait for their slice. Half are cancelled and new timers take their records; the rest is put off.
    let others = 0
    for (const id of ids.slice(8 * TENTH, 9 * TENTH)) expect(wheel.cancel(id)).toBe(true)
    for (let i = 0; i < TENTH; i++) wheel.schedule(() => others++, 20)
    for (const id of ids.slice(9 * TENTH)) expect(wheel.reschedule(id, 60_000)).toBe(true)
    while (wheel.pending > TENTH) await turn()
    expect([others, ran.size]).toEqual([TENTH, 8 * TENTH])
    expect(wheel.stop()).toHaveLength(TENTH)
  })
})
