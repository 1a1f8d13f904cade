/** Ticks may be fractions of a millisecond. Most of them are no binary fractions, and still no timer is early or a tick late. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, thrownBy } from './backends.js'

const TICKS = [0.05, 0.051, 0.1, 0.25, 0.3, 0.999, 1, 1.001, 1.5, 3, 7, 1000.001]

/** The units in which all sums are exact: milliseconds, or microseconds if a tick has a fraction. */
const unitsPerMs = (tick: number): number => (Number.isInteger(tick) ? 1 : 1000)

onEachBackend((backend: Backend) => {
  it.each(TICKS)('runs a timer at the end of the tick in which its delay ends, ticks of %d ms', (tick) => {
    const perMs = unitsPerMs(tick)
    const perTick = Math.round(tick * perMs)
    const wheel = manualWheel(backend, { tick })
    const untimely: number[][] = []
    let time = 0
    for (let ticks = 1; ticks < scaled(100, 400); ticks++) {
      for (const start of [0, 1, 13, perTick - 1, perTick, 40 * perTick + 7]) {
        wheel.advance(start / perMs)
        time += start
        let runs = 0
        // The product has a rounding error for many of these.
        wheel.schedule(() => runs++, ticks * tick)
        const due = Math.ceil((time + ticks * perTick) / perTick) * perTick
        wheel.advance((due - time - 1) / perMs)
        const early = runs
        wheel.advance(1 / perMs)
        if (early !== 0 || runs !== 1) untimely.push([ticks, start, early, runs])
        time = due
      }
    }
    expect(untimely).toEqual([])
    wheel.stop()
  })

  it.each([10, 2_000])('counts the delays of %d members of a group exactly', (count) => {
    const tick = 0.3
    const wheel = manualWheel(backend, { tick })
    const due = new Map<number, number>()
    let time = 0
    const untimely: number[] = []
    const group = wheel.group((n: number) => {
      if (due.get(n) !== time) untimely.push(n)
      due.delete(n)
    }, 3.9)
    const deadline = () => Math.ceil((time + 3_900) / 300) * 300
    const members: number[] = []
    const pass = (units: number): void => {
      for (const end = time + units; time < end; ) {
        time++
        wheel.advance(0.001)
      }
    }
    for (let n = 0; n < count; n++) {
      members.push(group.add(n))
      due.set(n, deadline())
      if (n % 7 === 0) pass(1)
    }
    for (let n = 0; n < count; n += 3) {
      if (group.touch(members[n]!)) due.set(n, deadline())
      if (n % 5 === 0) pass(11)
    }
    pass(4_500)
    expect([group.size, due.size, untimely]).toEqual([0, 0, []])
  })

  it('counts virtual time in whole microseconds', () => {
    const wheel = manualWheel(backend, { tick: 0.05 })
    let runs = 0
    wheel.schedule(() => runs++, 0.05)
    wheel.advance(0.0494)
    expect(runs).toBe(0)
    wheel.advance(0.0006)
    expect(runs).toBe(1)
  })

  it.each([0.05, 1.5])('keeps deadlines far beyond the range of ticks, ticks of %d ms', (tick) => {
    const perTick = tick * 1000
    for (const ticks of [2 ** 29 - 1, 2 ** 29 + 1, 2 ** 30 + 1, 2 ** 31 + 1, 2 ** 32 + 1, 2 ** 34 + 1]) {
      const wheel = manualWheel(backend, { tick })
      wheel.advance(0.001)
      let runs = 0
      wheel.schedule(() => runs++, ticks * tick)
      const timeout = wheel.setTimeout(() => runs++, 1)
      timeout.close()
      const due = (ticks + 1) * perTick
      wheel.advance((due - 2) / 1000)
      expect([ticks, runs]).toEqual([ticks, 0])
      wheel.advance(0.001)
      expect([ticks, runs]).toEqual([ticks, 1])
      wheel.stop()
    }
  })

  it('keeps a timer with the longest delay pending', () => {
    const wheel = manualWheel(backend, { tick: 0.05 })
    wheel.schedule(() => {}, 2 ** 53 - 1)
    wheel.advance(2 ** 31)
    expect(wheel.pending).toBe(1)
    const [timer] = wheel.stop()
    // Numbers of this size are whole milliseconds, and the deadline is a sum of two.
    expect(Math.abs(timer!.remaining - (2 ** 53 - 2 ** 31))).toBeLessThanOrEqual(4)
  })

  it('ends virtual time after 2^53 microseconds', () => {
    const wheel = manualWheel(backend, { tick: 0.05 })
    wheel.advance(2 ** 42)
    const error = thrownBy(() => wheel.advance(2 ** 43))
    expect(error).toBeInstanceOf(RangeError)
    expect((error as Error).message).toMatch(
      /^the end of virtual time must be 2\^53 us at the latest, got 13194139533312/,
    )
    let runs = 0
    wheel.schedule(() => runs++, 0.05)
    wheel.advance(0.05)
    expect(runs).toBe(1)
  })

  it('returns the remaining milliseconds of a stopped timer', () => {
    const wheel = manualWheel(backend, { tick: 0.3 })
    wheel.schedule(() => {}, 0.9)
    wheel.advance(0.3)
    expect(wheel.stop()[0]!.remaining).toBeCloseTo(0.6, 12)
  })

  it('expires the entries of a TimeoutMap at whole milliseconds', () => {
    const wheel = manualWheel(backend, { tick: 0.05 })
    const expired: [string, number][] = []
    const map = new backend.TimeoutMap<string, number>({
      wheel,
      onExpire: (_, key) => expired.push([key, wheel.now]),
    })
    map.set('0.3', 0, 0.3).set('1.2', 0, 1.2).set('2', 0, 2)
    wheel.advance(0.95)
    expect([...map.keys()]).toEqual(['0.3', '1.2', '2'])
    wheel.advance(0.05)
    expect([...map.keys()]).toEqual(['1.2', '2'])
    wheel.advance(3)
    expect(expired.sort()).toEqual([
      ['0.3', 1],
      ['1.2', 2],
      ['2', 2],
    ])
    wheel.stop()
  })
})
