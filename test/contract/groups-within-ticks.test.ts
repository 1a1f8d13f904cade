/** Members of a group that were added at different times of one tick: none runs before its own delay has passed. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained, now, ROUNDING, turn } from './clock.js'

const TICK = 40
const ROUNDS = 3

onEachBackend(({ TimerWheel }) => {
  it.each(['added', 'touched', 'added by a callback'])(
    'runs no member early that was %s late in a tick',
    async (how) => {
      const wheel = new TimerWheel({ tick: TICK })
      const untilPart = async (part: number): Promise<void> => {
        for (const from = part * TICK; wheel.now % TICK < from || wheel.now % TICK > from + 4; ) await turn()
      }
      let started = 0
      const passed: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const group = wheel.group((name: string) => {
          if (name === 'late') passed.push(now() - started - group.delay)
          else if (how === 'added by a callback') {
            group.delay = 10
            busyWait(1)
            started = now()
            group.add('late')
          }
        }, TICK)
        await untilPart(0.1)
        group.add('first')
        const late = how === 'touched' ? group.add('late') : 0
        if (how !== 'added by a callback') {
          await untilPart(0.7)
          started = now()
          if (how === 'touched') group.touch(late)
          else group.add('late')
        }
        await drained(wheel)
      }
      expect(passed).toHaveLength(ROUNDS)
      expect(Math.min(...passed)).toBeGreaterThanOrEqual(-ROUNDING)
      wheel.stop()
    },
  )
})
