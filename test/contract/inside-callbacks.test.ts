/** Callbacks may schedule, cancel and refresh timers, and stop the wheel. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'
import { wholeTurn } from './clock.js'

onEachBackend((backend) => {
  const setUp = () => {
    const ran: string[] = []
    return { wheel: manualWheel(backend), ran, note: (name: string): void => void ran.push(name) }
  }

  it('cancels, puts off and sets timers, also those that are due in the same tick', () => {
    const { wheel, ran, note } = setUp()
    const first = wheel.schedule(() => {
      note('first')
      expect([wheel.cancel(cancelled), wheel.reschedule(rescheduled, 10)]).toEqual([true, true])
      wheel.clearTimeout(cleared)
      refreshed.refresh()
      // They take the records of this timer and of the cancelled ones.
      for (let i = 0; i < 3; i++) wheel.schedule(note, i, 'new')
      expect([wheel.cancel(first), wheel.reschedule(first, 1_000)]).toEqual([false, false])
    }, 5)
    const cancelled = wheel.schedule(note, 5, 'cancelled')
    const cleared = wheel.setTimeout(note, 5, 'cleared')
    const rescheduled = wheel.schedule(note, 5, 'rescheduled')
    const refreshed = wheel.setTimeout(note, 5, 'refreshed')
    wheel.schedule(note, 5, 'last')
    wheel.advance(5)
    expect(ran.splice(0)).toEqual(['first', 'last'])
    for (const expected of [
      ['new', 'new'],
      ['new'],
      [],
      [],
      ['refreshed'],
      [],
      [],
      [],
      [],
      ['rescheduled'],
    ]) {
      wheel.advance(1)
      expect(ran.splice(0)).toEqual(expected)
    }
  })

  it('does not run a timer again if its callback refreshes and then clears it', () => {
    const { wheel, ran, note } = setUp()
    const timeout = wheel.setTimeout(() => {
      note('ran')
      timeout.refresh()
      wheel.clearTimeout(timeout)
      timeout.refresh()
    }, 10)
    wheel.advance(100)
    expect([ran, wheel.pending]).toEqual([['ran'], 0])
  })

  it('runs no further callback after a callback stops the wheel on the event loop', async () => {
    const wheel = new backend.TimerWheel()
    let ran = 0
    const left = await new Promise<unknown[]>((resolve) => {
      wheel.schedule(() => resolve(wheel.stop()), 5)
      for (let i = 0; i < 5_000; i++) wheel.schedule(() => ran++, 5)
    })
    // All timers are due: a wheel that did not stop would run them in this slice or in the next turns.
    for (let i = 0; i < 3; i++) await wholeTurn()
    expect([ran, left.length]).toEqual([0, 5_000])
  })

  it('grows if callbacks set more timers than it has room for', () => {
    const { wheel, ran, note } = setUp()
    for (const name of ['a', 'b', 'c']) {
      wheel.schedule(() => {
        for (let n = 0; n < 5_000; n++) wheel.schedule(note, 10, name)
      }, 5)
    }
    wheel.advance(5)
    expect(wheel.pending).toBe(15_000)
    wheel.advance(10)
    expect(ran.join('')).toBe('a'.repeat(5_000) + 'b'.repeat(5_000) + 'c'.repeat(5_000))
  })

  it('lets a callback advance another wheel', () => {
    const { wheel, ran, note } = setUp()
    const inner = manualWheel(backend)
    inner.schedule(note, 5, 'inner')
    wheel.schedule(() => inner.advance(5), 5)
    wheel.schedule(note, 5, 'outer')
    wheel.advance(5)
    expect(ran).toEqual(['inner', 'outer'])
  })

  it.each(['refresh', 'close', 'unref', 'ref'] as const)(
    'ends all timers if the callback of an interval stops the wheel, calls %s() and throws',
    (use) => {
      const { wheel, ran, note } = setUp()
      const interval = wheel.setInterval(() => {
        expect(wheel.stop().length).toBe(4)
        interval[use]()
        throw new Error('from the interval')
      }, 2)
      for (const delay of [2, 3, 1_000]) wheel.setTimeout(note, delay, 'later')
      wheel.schedule(note, 2, 'id')
      expect(() => wheel.advance(5)).toThrow('from the interval')
      wheel.advance(2_000)
      expect([ran, wheel.stop()]).toEqual([[], []])
      expect(wheel.stats()).toMatchObject({ pending: 0, scheduled: 5, fired: 1, cancelled: 4 })
      expect(thrownBy(() => wheel.setTimeout(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    },
  )
})
