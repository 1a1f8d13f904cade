/**
 * An exception interrupts a method of a signal, or the call that sets a timer with slack, in every place. Afterwards a signal is
 * cleared, pending or aborted, and all other timers run.
 */
import { expect, it } from '@jest/globals'
import { type Backend, dispose, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { everywhere } from './everywhere.js'

type TimeoutSignal = ReturnType<Wheel['signal']>

function advanceTo(wheel: Wheel, time: number): void {
  if (time > wheel.now) wheel.advance(time - wheel.now)
}

onEachBackend((backend: Backend) => {
  /** Makes a wheel that also has a signal and a timer; both must end as planned whatever happens. */
  function open() {
    const wheel = manualWheel(backend)
    const ran: unknown[] = []
    const note = (name: unknown): void => {
      ran[ran.length] = name
    }
    const other = wheel.signal(10)
    wheel.schedule(note, 10, 'id')
    return { wheel, ran, note, other }
  }

  /** Expects what `open` has made to end on time, and nothing to be left after that. */
  function expectRest({ wheel, ran, other }: ReturnType<typeof open>, names: unknown[]): void {
    wheel.advance(1_000)
    expect({ ran, aborted: other.aborted, pending: wheel.pending }).toEqual({
      ran: names,
      aborted: true,
      pending: 0,
    })
  }

  for (const unref of [true, false]) {
    it(`makes a signal or none, with unref: ${unref}`, () => {
      everywhere((attempt) => {
        const all = open()
        let made: TimeoutSignal | undefined
        const isDone = attempt(() => {
          made = all.wheel.signal(20, { unref })
        })
        // The signal is lost if the interruption came after its timer was set.
        const added = all.wheel.pending - 2
        expect([0, 1]).toContain(added)
        if (isDone) expect([added, made?.aborted]).toEqual([1, false])
        const later = all.wheel.signal(5, { unref })
        expect(all.wheel.pending).toBe(3 + added)
        later.clear()
        made?.refresh(30)
        all.wheel.advance(29)
        expect(made?.aborted ?? false).toBe(false)
        all.wheel.advance(1)
        if (isDone) expect(made!.aborted).toBe(true)
        expectRest(all, ['id'])
      })
    })
  }

  it('ends signals by clear() and Symbol.dispose, or leaves them pending', () => {
    everywhere((attempt) => {
      const all = open()
      const signals = Array.from({ length: 8 }, (_, i) => all.wheel.signal(20, { unref: i < 4 }))
      const isDone = attempt(() => {
        for (let i = 0; i < 8; i += 2) {
          signals[i]!.refresh(20).clear()
          signals[i + 1]!.refresh(20)[dispose]()
        }
      })
      const left = all.wheel.pending - 2
      if (isDone) expect(left).toBe(0)
      const later = all.wheel.signal(30)
      all.wheel.advance(20)
      expect(signals.filter(({ aborted }) => aborted).length).toBe(left)
      // The record of a cleared signal can belong to the later one by now.
      for (const signal of signals) signal.clear()
      expect(all.wheel.pending).toBe(1)
      all.wheel.advance(10)
      expect(later.aborted).toBe(true)
      expectRest(all, ['id'])
    })
  })

  it('moves a signal by refresh(), or leaves it at its time', () => {
    // A far delay, a fraction, the same delay.
    for (const [before, after] of [
      [20, 40],
      [2 ** 40, 40],
      [20, 40.5],
      [40, undefined],
    ] as const) {
      everywhere((attempt) => {
        const all = open()
        const signal = all.wheel.signal(before)
        all.wheel.advance(5)
        const isDone = attempt(() => {
          signal.refresh(after)
        })
        expect(all.wheel.pending).toBe(3)
        const moved = 5 + Math.ceil(after ?? before)
        advanceTo(all.wheel, Math.min(before, moved) - 1)
        expect(signal.aborted).toBe(false)
        advanceTo(all.wheel, moved - 1)
        if (isDone) expect(signal.aborted).toBe(false)
        if (isDone) {
          all.wheel.advance(1)
          expect(signal.aborted).toBe(true)
        } else if (!signal.aborted) {
          // A later refresh counts one of the two delays.
          signal.refresh()
          all.wheel.advance(Math.ceil(Math.max(before, after ?? before)))
          expect(signal.aborted).toBe(true)
        }
        expectRest(all, ['id'])
      })
    }
  })

  it('aborts all signals but the interrupted one, each once', () => {
    everywhere((attempt) => {
      const all = open()
      const signals = [5, 5, 5, 6, 7].map((delay) => all.wheel.signal(delay))
      let aborts = 0
      for (const signal of signals) signal.onabort = () => aborts++
      attempt(() => all.wheel.advance(6))
      while (all.wheel.now < 9) all.wheel.advance(1)
      // The timer of a signal whose abort could not begin is over.
      const aborted = signals.filter((signal) => signal.aborted)
      expect(aborted.length).toBeGreaterThanOrEqual(signals.length - 1)
      expect(aborts).toBeLessThanOrEqual(aborted.length)
      expect(aborted.every(({ reason }) => reason.name === 'TimeoutError')).toBe(true)
      expect(all.wheel.pending).toBe(2)
      for (const signal of signals) signal.refresh().clear()
      expectRest(all, ['id'])
    })
  })

  it('clears signals with their wheel, in two calls', () => {
    everywhere((attempt) => {
      const { wheel, note, other } = open()
      const signals = [true, false].map((unref) => wheel.signal(20, { unref }))
      wheel.setInterval(note, 20, 'interval')
      wheel.group(note, 2 ** 40).add('member')
      let count = 0
      const isDone = attempt(() => {
        count = wheel.clear()
      })
      if (isDone) expect([count, wheel.pending]).toEqual([6, 0])
      const left = wheel.pending
      expect(wheel.clear()).toBe(left)
      const later = wheel.signal(5)
      for (const signal of [other, ...signals]) signal.refresh().clear()
      wheel.advance(1_000)
      expect([other, ...signals, later].map(({ aborted }) => aborted)).toEqual([false, false, false, true])
      expect(wheel.pending).toBe(0)
    })
  })

  it('returns the signals from stop() of their wheel', () => {
    everywhere((attempt) => {
      const { wheel, other } = open()
      const second = wheel.signal(20)
      let left: ReturnType<typeof wheel.stop> | undefined
      attempt(() => {
        left = wheel.stop()
      })
      left ??= wheel.stop()
      expect(left.map(({ args }) => args[0])).toEqual([other, 'id', second])
      for (const timer of left) expect('timeout' in timer).toBe(false)
      second.refresh().clear()
      expect([wheel.stop(), wheel.pending, second.aborted]).toEqual([[], 0, false])
    })
  })

  for (const slack of [0, 5]) {
    it(`sets a timer with slack of its own or none, on a wheel with slack ${slack}`, () => {
      everywhere((attempt) => {
        const wheel = manualWheel(backend, { slack })
        const ran: [string, number][] = []
        const note = (name: string): void => {
          ran[ran.length] = [name, wheel.now]
        }
        wheel.schedule(note, 12, 'other')
        let id = 0
        const isDone = attempt(() => {
          id = wheel.schedule(note, 9, 'own', { slack: 3 })
          wheel.schedule(note, 2 ** 40 + 1, 'far', { slack: 3 })
        })
        const { pending } = wheel
        expect(pending).toBeLessThanOrEqual(3)
        if (isDone) expect(pending).toBe(3)
        wheel.schedule(note, 30, 'later', { slack: 0 })
        if (isDone) expect(wheel.cancel(wheel.schedule(note, 9, 'cancelled', { slack: 3 }))).toBe(true)
        expect(wheel.pending).toBe(pending + 1)
        wheel.runAll()
        const times = { other: 12, own: 12, later: 30, far: 2 ** 40 + 4 }
        expect(ran.map(([name]) => name).filter((name) => name === 'other' || name === 'later')).toHaveLength(
          2,
        )
        for (const [name, time] of ran) expect([name, time]).toEqual([name, times[name as 'own']])
        expect([ran.length, wheel.pending, wheel.cancel(id)]).toEqual([pending + 1, 0, false])
      })
    })
  }
})
