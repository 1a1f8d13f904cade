/**
 * Slack: timers run later than their deadlines, so that they share wake-ups, but never by more than the slack. The programs of
 * model.test.ts have slack of the wheel and of single timers.
 */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

onEachBackend((backend) => {
  it('is a part of the deadline of a handle', () => {
    const wheel = manualWheel(backend, { slack: 5 })
    wheel.advance(1)
    const timeout = wheel.setTimeout(() => {}, 10)
    const interval = wheel.setInterval(() => {}, 10)
    expect([timeout.deadline, interval.deadline]).toEqual([12, 12])
    wheel.advance(4)
    // Without slack, it is due at 15, then at 35.
    expect([timeout.refresh().deadline, timeout.refresh(30).deadline]).toEqual([18, 36])
    wheel.advance(7)
    // The interval counts from the start of its run.
    expect(interval.deadline).toBe(24)
    wheel.stop()
  })

  it('of one timer is counted and ends like any other', () => {
    const wheel = manualWheel(backend)
    wheel.schedule(() => {}, 5, undefined, { slack: 5 })
    expect(wheel.stats()).toMatchObject({ scheduled: 1, pending: 1 })
    expect(wheel.stop().map(({ remaining }) => remaining)).toEqual([6])
    expect(() => wheel.schedule(() => {}, 5, undefined, { slack: 5 })).toThrow(/was stopped/)
  })

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

  const range = ' from 0 to 2147483647'
  it.each([
    ['5', '', '"5"'],
    [null, '', 'null'],
    [true, '', 'true'],
    [5n, '', '5n'],
    [{}, '', 'an object'],
    [-1, range, '-1'],
    [Number.NaN, range, 'NaN'],
    [2 ** 31, range, '2147483648'],
    [Number.POSITIVE_INFINITY, range, 'Infinity'],
  ])('refuses slack of %p', (slack, accepted, shown) => {
    const wheel = manualWheel(backend)
    const isNumber = typeof slack === 'number'
    for (const call of [
      () => new backend.TimerWheel({ slack: slack as never }),
      () => wheel.schedule(() => {}, 1, undefined, { slack: slack as never }),
    ]) {
      expect(thrownBy(call)).toMatchObject({
        name: isNumber ? 'RangeError' : 'TypeError',
        code: isNumber ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE',
        message: `slack must be a number of milliseconds${accepted}, got ${shown}`,
      })
    }
    expect(wheel.pending).toBe(0)
  })
})
