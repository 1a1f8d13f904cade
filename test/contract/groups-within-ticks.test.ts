/** Members of a group that were added at different times of one tick: none runs before its own delay has passed. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained, now, ROUNDING, turn } from './clock.js'

const TICK = 40
const ROUNDS = 3

onEachBackend(({ TimerWheel }) => {
  /** Waits, in turns of the event loop, until a part of a tick has passed. */
  async function untilPart(wheel: InstanceType<typeof TimerWheel>, part: number): Promise<void> {
    const from = part * TICK
    while (wheel.now % TICK < from || wheel.now % TICK > from + 4) await turn()
  }

  it.each(['added', 'touched'])('runs no member early that was %s late in a tick', async (how) => {
    const wheel = new TimerWheel({ tick: TICK })
    const early: number[] = []
    const started = new Map<string, number>()
    const group = wheel.group((name: string) => {
      const passed = now() - started.get(name)!
      if (passed < TICK - ROUNDING) early.push(passed)
    }, TICK)
    for (let round = 0; round < ROUNDS; round++) {
      await untilPart(wheel, 0.1)
      started.set('first', now())
      group.add('first')
      const second = how === 'touched' ? group.add('second') : 0
      await untilPart(wheel, 0.7)
      started.set('second', now())
      if (how === 'touched') group.touch(second)
      else group.add('second')
      await drained(wheel)
    }
    expect(early).toEqual([])
    wheel.stop()
  })

  it('runs no member early that a callback adds with a shorter delay', async () => {
    const wheel = new TimerWheel({ tick: TICK })
    const passed: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      let started = 0
      const group = wheel.group((name: string) => {
        if (name === 'second') {
          passed.push(now() - started)
          return
        }
        group.delay = 10
        busyWait(1)
        started = now()
        group.add('second')
      }, TICK)
      await untilPart(wheel, 0.2)
      group.add('first')
      await drained(wheel)
    }
    expect(passed.length).toBe(ROUNDS)
    expect(Math.min(...passed)).toBeGreaterThanOrEqual(10 - ROUNDING)
    wheel.stop()
  })
})
