/** Slack: timers run later than their deadlines, so that they share wake-ups, but never by more than the slack. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

/** The multiple of the longest step that fits: 1, 2, 3, 4, 6, 8, 12, 16 ticks and so on, at most the slack and one tick more. */
function putOff(due: number, slack: number): number {
  const most = Math.min(slack, 2 ** 29) + 1
  const steps = Array.from({ length: 30 }, (_, k) => [2 ** k, 3 * 2 ** k]).flat()
  const step = Math.max(...steps.filter((ticks) => ticks <= most))
  return Math.ceil(due / step) * step
}

onEachBackend((backend: Backend) => {
  /** Advances tick by tick until nothing is pending. Returns the ticks at which timers ran. */
  const runs = (wheel: Wheel, set: (run: () => void) => unknown, start = 0): number[] => {
    const ran: number[] = []
    let time = start
    set(() => ran.push(time))
    while (wheel.pending > 0) {
      time++
      wheel.advance(1)
    }
    return ran
  }

  it('moves a deadline up to a multiple of a step that fits into the slack', () => {
    for (const slack of [0, 1, 2, 3, 5, 7, 8, 20, 100]) {
      const wheel = manualWheel(backend, { slack })
      const ran: unknown[] = []
      const expected: unknown[] = []
      for (let start = 0; start < 40; start++) {
        for (const delay of [1, 2, 3, 5, 8, 13, 21]) {
          const time = wheel.now
          ran.push([time, delay, ...runs(wheel, (run) => wheel.schedule(run, delay), time)])
          expected.push([time, delay, putOff(time + delay, slack)])
        }
      }
      expect({ slack, ran }).toEqual({ slack, ran: expected })
    }
  })

  it('applies to handles, to their refreshes and to intervals', () => {
    const wheel = manualWheel(backend, { slack: 5 })
    const ran: [string, number][] = []
    wheel.advance(1)
    const timeout = wheel.setTimeout(() => ran.push(['timeout', wheel.now]), 10)
    const other = wheel.setTimeout(() => ran.push(['other', wheel.now]), 10)
    const interval = wheel.setInterval(() => ran.push(['interval', wheel.now]), 10)
    expect([timeout.deadline, interval.deadline]).toEqual([12, 12])
    wheel.advance(4)
    // Without slack they are due at 15 and 35.
    timeout.refresh()
    other.refresh(30)
    expect([timeout.deadline, other.deadline]).toEqual([18, 36])
    wheel.advance(7)
    expect(ran).toEqual([['interval', 12]])
    // The interval counts from the start of its run.
    expect(interval.deadline).toBe(24)
    wheel.advance(24)
    expect(ran.slice(1)).toEqual([
      ['timeout', 18],
      ['interval', 24],
      ['other', 36],
      ['interval', 36],
    ])
    interval.close()
  })

  it('applies to the members of a group', () => {
    const wheel = manualWheel(backend, { slack: 5 })
    const ran: [string, number][] = []
    const group = wheel.group((name: string) => ran.push([name, wheel.now]), 10)
    group.add('first')
    wheel.advance(1)
    group.add('second')
    const third = group.add('third')
    wheel.advance(2)
    group.touch(third)
    wheel.advance(5)
    group.add('last')
    wheel.runAll()
    expect(ran).toEqual([
      ['first', 12],
      ['second', 12],
      ['third', 18],
      ['last', 18],
    ])
  })

  it('applies to one timer of a wheel without slack, until it is rescheduled', () => {
    const wheel = manualWheel(backend)
    const ran: [number, number][] = []
    const run = (delay: number): void => void ran.push([delay, wheel.now])
    wheel.advance(1)
    wheel.schedule(run, 10, 10, { slack: 5 })
    wheel.schedule(run, 11, 11)
    wheel.schedule(run, 12, 12, { slack: undefined })
    wheel.schedule(run, 13, 13, undefined)
    wheel.schedule(run, 14, 14, { slack: 0 })
    const moved = wheel.schedule(run, 0, 0, { slack: 100 })
    expect(wheel.reschedule(moved, 20)).toBe(true)
    expect(wheel.cancel(wheel.schedule(run, 5, 5, { slack: 5 }))).toBe(true)
    wheel.runAll()
    expect(ran).toEqual([
      [10, 12],
      [11, 12],
      [12, 13],
      [13, 14],
      [14, 15],
      [0, 21],
    ])
  })

  it('replaces the slack of the wheel for one timer', () => {
    const wheel = manualWheel(backend, { slack: 5 })
    wheel.advance(1)
    const ran: number[] = []
    wheel.schedule(() => ran.push(wheel.now), 2, undefined, { slack: 0 })
    wheel.schedule(() => ran.push(wheel.now), 20, undefined, { slack: 20 })
    wheel.schedule(() => ran.push(wheel.now), 20, undefined, {})
    wheel.runAll()
    expect(ran).toEqual([3, 24, 32])
  })

  it.each([1, 3, 7, 10, 49, 100])(
    'runs a timer with slack of 0 of its own as one without, ticks of %d ms',
    (tick) => {
      const wheel = manualWheel(backend, { tick })
      for (let delay = 0; delay <= 500; delay++) {
        const ran: number[] = []
        wheel.schedule(() => ran.push(wheel.now), delay)
        wheel.schedule(() => ran.push(wheel.now), delay, undefined, { slack: 0 })
        // Then the next timer starts where its delay ends with a tick.
        wheel.advance(7 * tick + 500)
        wheel.advance(tick - ((wheel.now + delay + 1) % tick))
        expect([delay, ran.length, ran[0]]).toEqual([delay, 2, ran[1]])
      }
    },
  )

  it('keeps the order of deadline and call among timers that are put off to one tick', () => {
    const wheel = manualWheel(backend, { slack: 7 })
    const ran: string[] = []
    const set = (name: string, delay: number, slack?: number): unknown =>
      wheel.schedule(() => ran.push(name), delay, undefined, slack === undefined ? undefined : { slack })
    set('9', 9)
    set('16', 16)
    set('13', 13)
    set('exact', 16, 0)
    set('10', 10)
    wheel.setTimeout(() => ran.push('timeout'), 12)
    set('earlier', 15, 0)
    wheel.runAll()
    expect(ran).toEqual(['earlier', '9', '16', '13', 'exact', '10', 'timeout'])
  })

  it.each([0.05, 0.3, 10])('counts slack in whole ticks of %d ms', (tick) => {
    const slack = 6 * tick
    const wheel = manualWheel(backend, { tick, slack })
    const ran: number[] = []
    for (let ticks = 1; ticks <= 40; ticks++) {
      wheel.schedule(() => ran.push(Math.round(wheel.now / tick)), ticks * tick)
      wheel.schedule(() => ran.push(Math.round(wheel.now / tick)), ticks * tick, undefined, {
        slack: tick * 0.99,
      })
    }
    wheel.runAll()
    const expected = Array.from({ length: 40 }, (_, i) => [putOff(i + 1, 6), i + 1]).flat()
    expect(ran).toEqual(expected.sort((a, b) => a - b))
  })

  it.each([2 ** 29, 2 ** 31, 2 ** 32, 2 ** 34])('puts off timers that are due near tick %d', (boundary) => {
    for (const [before, slack] of [
      [3, 2],
      [5, 3],
      [3, 10],
      [1, 0],
      [100, 2 ** 31 - 1],
    ] as const) {
      const wheel = manualWheel(backend)
      let ran = 0
      const due = boundary - before
      wheel.schedule(() => (ran = wheel.now), due, undefined, { slack })
      const expected = putOff(due, slack)
      // The last three ticks before a wrap encode states, so a timer runs after them.
      const isState = 2 ** 32 - (expected % 2 ** 32) <= 3
      wheel.runAll()
      expect([before, slack, ran]).toEqual([before, slack, isState ? boundary : expected])
      wheel.stop()
    }
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

  const typed = 'slack must be a number of milliseconds, got'
  const range = 'slack must be a number of milliseconds from 0 to 2147483647, got'
  const BAD: [unknown, string][] = [
    ['5', `${typed} "5"`],
    [null, `${typed} null`],
    [true, `${typed} true`],
    [5n, `${typed} 5n`],
    [{}, `${typed} an object`],
    [-1, `${range} -1`],
    [Number.NaN, `${range} NaN`],
    [2 ** 31, `${range} 2147483648`],
    [Number.POSITIVE_INFINITY, `${range} Infinity`],
  ]
  it.each(BAD)('refuses slack of %p', (slack, message) => {
    const wheel = manualWheel(backend)
    for (const call of [
      () => new backend.TimerWheel({ slack: slack as never }),
      () => wheel.schedule(() => {}, 1, undefined, { slack: slack as never }),
    ]) {
      const error = thrownBy(call) as Error & { code: string }
      expect(error.message).toBe(message)
      const isNumber = typeof slack === 'number'
      expect(error).toBeInstanceOf(isNumber ? RangeError : TypeError)
      expect(error.code).toBe(isNumber ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE')
    }
    expect(wheel.pending).toBe(0)
  })

  it('takes no timer with slack of its own after stop()', () => {
    const wheel = manualWheel(backend)
    wheel.schedule(() => {}, 5, undefined, { slack: 5 })
    expect(wheel.stop().map(({ remaining }) => remaining)).toEqual([6])
    expect(() => wheel.schedule(() => {}, 5, undefined, { slack: 5 })).toThrow(/was stopped/)
  })

  it('heeds maxPending and unref for a timer with slack of its own', () => {
    const wheel = manualWheel(backend, { maxPending: 1, unref: true })
    const id = wheel.schedule(() => {}, 1, undefined, { slack: 5 })
    expect(thrownBy(() => wheel.schedule(() => {}, 1, undefined, { slack: 5 }))).toMatchObject({
      code: 'ERR_WHEEL_LIMIT',
    })
    expect([wheel.pending, wheel.cancel(id), wheel.pending]).toEqual([1, true, 0])
    expect(wheel.schedule(() => {}, 1, undefined, { slack: 5 })).not.toBe(id)
    wheel.stop()
  })

  it('lets timers with slack of their own go, however many there were', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    // More timers than a block of records holds.
    const rounds = scaled(2_000, 20_000)
    for (let round = 0; round < rounds; round++) {
      const ids = [1, 2, 3].map((delay) => wheel.schedule(() => ran++, delay, { round }, { slack: 2 }))
      wheel.cancel(ids[1]!)
      wheel.advance(5)
    }
    expect([ran, wheel.pending]).toEqual([2 * rounds, 0])
    const { scheduled, cancelled, fired } = wheel.stats()
    expect([scheduled, cancelled, fired]).toEqual([3 * rounds, rounds, 2 * rounds])
  })
})
