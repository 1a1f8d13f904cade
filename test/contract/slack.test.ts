/**
 * Slack: timers run later than their deadlines, so that they share wake-ups, but never by more than the slack. The programs of
 * model.test.ts have slack of the wheel and of single timers.
 */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('applies to the members of a group', () => {
    const wheel = manualWheel(backend, { slack: 5 })
    const ran: string[] = []
    const group = wheel.group((name: string) => ran.push(`${name} ${wheel.now}`), 10)
    group.add('first')
    wheel.advance(1)
    group.add('second')
    const third = group.add('third')
    wheel.advance(2)
    group.touch(third)
    wheel.advance(5)
    group.add('last')
    wheel.runAll()
    expect(ran).toEqual(['first 12', 'second 12', 'third 18', 'last 18'])
  })

  it('takes slack with the longest delay', () => {
    const wheel = manualWheel(backend, { slack: 2 ** 31 - 1 })
    const delay = 2 ** 53 - 1
    wheel.schedule(() => {}, delay)
    wheel.schedule(() => {}, delay, undefined, { slack: 1000 })
    for (const { remaining } of wheel.stop()) {
      expect(remaining).toBeGreaterThanOrEqual(delay)
      expect(remaining).toBeLessThanOrEqual(delay + 1000)
    }
  })
})
