/** Delays and uptimes may be long: ticks of 32 bits wrap, deadlines do not. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'

/**
 * The last three ticks before each wrap encode states of a record. A timer due at one of them runs at the wrap instead.
 */
const WRAP = 2 ** 32
const STATES = 3
const isState = (tick: number): boolean => tick % WRAP >= WRAP - STATES

onEachBackend((backend) => {
  const expectToRunAfter = (wheel: Wheel, delay: number, tick = 1): void => {
    let runs = 0
    wheel.schedule(() => runs++, delay)
    wheel.advance(delay - tick)
    expect(runs).toBe(0)
    wheel.advance(tick)
    expect(runs).toBe(1)
  }

  it.each([2 ** 8, 2 ** 16, 2 ** 24, 2 ** 30, 2 ** 31, 2 ** 32, 2 ** 36, 2 ** 40])(
    'runs timers with delays near %d milliseconds exactly on time',
    (delay) => {
      for (const nearby of [delay - 2, delay - 1, delay, delay + 1]) {
        if (isState(nearby)) continue
        expectToRunAfter(manualWheel(backend), nearby)
      }
    },
  )

  it('accepts a delay of 2^53 - 1 milliseconds', () => {
    const wheel = manualWheel(backend, { tick: 1024 })
    let runs = 0
    wheel.schedule(() => runs++, 2 ** 53 - 1)
    wheel.advance(2 ** 53 - 2048)
    expect([runs, wheel.pending]).toEqual([0, 1])
    wheel.advance(2048)
    expect([runs, wheel.pending]).toEqual([1, 0])
  })

  it.each([2 ** 31, WRAP, 2 * WRAP, 2 ** 36])('keeps deadlines and order near tick %d', (boundary) => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    const lead = 400
    wheel.advance(boundary - lead)
    const expected: { tick: number; i: number }[] = []
    for (let i = 0; i < 800; i++) {
      const delay = 1 + ((i * 611) % 800)
      wheel.schedule((n) => ran.push(n), delay, i)
      const due = boundary - lead + delay
      expected.push({ tick: isState(due) ? Math.ceil(due / WRAP) * WRAP : due, i })
    }
    expected.sort((a, b) => a.tick - b.tick || a.i - b.i)
    for (let passed = 1; passed <= 800; passed++) {
      wheel.advance(1)
      const dueByNow = expected.filter(({ tick }) => tick <= boundary - lead + passed).length
      expect([passed, ran.length]).toEqual([passed, dueByNow])
    }
    expect(ran).toEqual(expected.map(({ i }) => i))
  })

  it('cancels far timers and reschedules them to earlier and later deadlines', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const set = (name: string): number => wheel.schedule((n) => ran.push(n), 2 ** 40, name)
    const cancelled = set('cancelled')
    const drawnIn = set('drawn in')
    const putOff = set('put off')
    expect(wheel.cancel(cancelled)).toBe(true)
    // This timer takes the record of the cancelled one.
    wheel.schedule((n) => ran.push(n), 2 ** 35, 'instead')
    expect(wheel.reschedule(drawnIn, 10)).toBe(true)
    expect(wheel.reschedule(putOff, 2 ** 41)).toBe(true)
    wheel.advance(10)
    expect(ran).toEqual(['drawn in'])
    wheel.advance(2 ** 35 - 11)
    expect(ran).toEqual(['drawn in'])
    wheel.advance(1)
    expect(ran).toEqual(['drawn in', 'instead'])
    wheel.advance(2 ** 40)
    expect([ran.length, wheel.pending]).toEqual([2, 1])
    wheel.advance(2 ** 40)
    expect([ran.length, wheel.pending]).toEqual([3, 0])
  })

  it('repeats an interval longer than the span of the wheel', () => {
    const wheel = manualWheel(backend)
    const delay = 2 ** 31 - 10
    let runs = 0
    const interval = wheel.setInterval(() => runs++, delay)
    wheel.advance(5 * delay - 1)
    expect(runs).toBe(4)
    wheel.advance(1)
    expect(runs).toBe(5)
    interval.close()
  })

  it.each([10, 25, 30, 40, 60, 400])('runs timers on time after %d days without any', (days) => {
    const wheel = manualWheel(backend)
    let runs = 0
    // The entry of the cleared timer stays in its slot, where the wheel finds it much later.
    wheel.setTimeout(() => runs++, 1_000).close()
    wheel.setTimeout(() => runs++, 10)
    wheel.advance(20)
    wheel.advance(days * 86_400_000)
    wheel.setTimeout(() => runs++, 10)
    wheel.advance(9)
    expect(runs).toBe(1)
    wheel.advance(1)
    expect(runs).toBe(2)
    expect(wheel.pending).toBe(0)
  })

  it.each([0.4, 0.9, 0.99, 1])(
    'loses no timer that is set after %d of 12.4 days without expirations',
    (part) => {
      const wheel = manualWheel(backend)
      const ran: string[] = []
      // At first nothing is pending, then nothing is due. So the core does not advance, and its time lags behind the
      // clock.
      wheel.advance(2 ** 29 - 1)
      wheel.schedule(() => ran.push('pending'), 2 ** 40)
      wheel.advance(Math.floor(part * 2 ** 30) - 1)
      wheel.schedule(() => ran.push('set later'), 2 ** 31)
      wheel.setTimeout(() => ran.push('by handle'), 2 ** 31 - 1)
      wheel.advance(2 ** 31 - 2)
      expect(ran).toEqual([])
      wheel.advance(1)
      expect(ran).toEqual(['by handle'])
      wheel.advance(1)
      expect(ran).toEqual(['by handle', 'set later'])
      wheel.advance(2 ** 40)
      expect(ran).toEqual(['by handle', 'set later', 'pending'])
    },
  )

  it('throws at the end of virtual time, and moves no further', () => {
    // With ticks of 1 ms, the way there takes seconds.
    const tick = scaled(1024, 1)
    const wheel = manualWheel(backend, { tick })
    const ran: number[] = []
    wheel.advance(2 ** 53 - 5 * tick)
    for (let ticks = 1; ticks <= 8; ticks++) wheel.schedule((n) => ran.push(n as number), ticks * tick, ticks)
    wheel.advance(tick)
    expect(() => wheel.advance(6 * tick)).toThrow(RangeError)
    expect(ran).toEqual([1])
    wheel.advance(4 * tick)
    expect(ran).toEqual([1, 2, 3, 4, 5])
    expect(wheel.pending).toBe(3)
  })
})
