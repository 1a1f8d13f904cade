/** `trim()` gives memory back. Timers and ids behave as if the wheel had kept all of it. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'
import { drained, now, ROUNDING } from './clock.js'

/** More timers than a new wheel has room for. */
const MANY = 6_000

/** Makes a wheel grow beyond its first memory, and leaves it empty. */
function fillAndEmpty(wheel: Wheel): void {
  for (const id of Array.from({ length: MANY }, () => wheel.schedule(() => {}, 60_000))) wheel.cancel(id)
}

onEachBackend((backend) => {
  it('gives no id twice and ignores all former ids, however often it is trimmed', () => {
    const wheel = manualWheel(backend)
    const ids = new Set<number>()
    let former: number[] = []
    let known = 0
    for (let round = 0; round < 20; round++) {
      const next = Array.from({ length: MANY }, () => wheel.schedule(() => {}, 10))
      for (const id of next) ids.add(id)
      known += former.filter((id) => wheel.cancel(id) || wheel.reschedule(id, 10)).length
      wheel.advance(10)
      wheel.trim()
      known += next.filter((id) => wheel.cancel(id) || wheel.reschedule(id, 10)).length
      former = next
    }
    expect([ids.size, known, wheel.pending]).toEqual([20 * MANY, 0, 0])
  })

  it('ignores all former ids while other wheels have as many timers', () => {
    const wheels = [manualWheel(backend), manualWheel(backend)]
    const before = wheels.map((wheel) => Array.from({ length: MANY }, () => wheel.schedule(() => {}, 10)))
    for (const wheel of wheels) {
      wheel.advance(10)
      wheel.trim()
    }
    const after = [...wheels]
      .reverse()
      .map((wheel) => Array.from({ length: MANY }, () => wheel.schedule(() => {}, 10)))
    const stale = before.flat()
    for (const wheel of wheels) expect(stale.filter((id) => wheel.cancel(id))).toEqual([])
    expect(new Set([...stale, ...after.flat()]).size).toBe(4 * MANY)
    expect(wheels.map(({ pending }) => pending)).toEqual([MANY, MANY])
  })

  it.each([
    ['a timeout', (wheel: Wheel, ran: () => void) => void wheel.setTimeout(ran, 50)],
    [
      'a timeout without a reference',
      (wheel: Wheel, ran: () => void) => void wheel.setTimeout(ran, 50).unref(),
    ],
    ['an interval', (wheel: Wheel, ran: () => void) => void wheel.setInterval(ran, 50)],
    ['a timer with an id', (wheel: Wheel, ran: () => void) => void wheel.schedule(ran, 50)],
    ['a refreshed timeout', (wheel: Wheel, ran: () => void) => void wheel.setTimeout(ran, 50).refresh()],
  ])('does nothing while %s is pending', (_which, set) => {
    const wheel = manualWheel(backend)
    let ran = 0
    fillAndEmpty(wheel)
    set(wheel, () => ran++)
    wheel.trim()
    expect(wheel.pending).toBe(1)
    wheel.advance(49)
    wheel.trim()
    expect(ran).toBe(0)
    wheel.advance(1)
    expect(ran).toBe(1)
  })

  it('leaves the handles of finished timers as they were', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const over = wheel.setTimeout(() => ran.push('over'), 5)
    const unreferenced = wheel.setTimeout(() => ran.push('unreferenced'), 5).unref()
    const cleared = wheel.setTimeout(() => ran.push('cleared'), 5)
    const interval = wheel.setInterval(() => ran.push('interval'), 5)
    fillAndEmpty(wheel)
    over.refresh()
    cleared.close()
    wheel.advance(5)
    wheel.clearInterval(interval)
    expect(ran.splice(0)).toEqual(['unreferenced', 'interval', 'over'])

    wheel.trim()
    const others = Array.from({ length: MANY }, () => wheel.setTimeout(() => ran.push('other'), 100))
    for (const handle of [over, unreferenced, cleared, interval]) wheel.clearTimeout(handle)
    expect(wheel.pending).toBe(MANY)
    for (const handle of others) handle.close()

    wheel.trim()
    expect([cleared.refresh(), interval.refresh(), wheel.pending]).toEqual([cleared, interval, 0])
    const again = wheel.setTimeout(() => ran.push('again'), 7)
    const later = wheel.setTimeout(() => ran.push('later'), 7).unref()
    wheel.advance(7)
    fillAndEmpty(wheel)
    wheel.trim()
    again.refresh()
    later.refresh()
    expect([wheel.pending, again.hasRef(), later.hasRef()]).toEqual([2, true, false])
    wheel.advance(6)
    again.refresh()
    wheel.advance(1)
    expect(ran).toEqual(['again', 'later', 'later'])
    wheel.advance(6)
    expect([ran.at(-1), wheel.pending]).toEqual(['again', 0])
  })

  it('continues after a callback trims it, the last callback or one of many', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const handle = wheel.setTimeout(() => ran.push('refreshed'), 5)
    for (let n = 0; n < MANY; n++) wheel.schedule(() => wheel.trim(), 10)
    wheel.schedule(() => {
      wheel.trim()
      wheel.schedule(() => ran.push('after'), 10)
      wheel.setTimeout(() => ran.push('handle'), 10)
    }, 20)
    wheel.advance(20)
    handle.refresh()
    wheel.advance(10)
    expect([ran, wheel.pending]).toEqual([['refreshed', 'refreshed', 'after', 'handle'], 0])
  })

  it('continues after a callback clears all other due timers and trims the wheel', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const ids: number[] = []
    wheel.schedule(() => {
      for (const id of ids) wheel.cancel(id)
      wheel.trim()
      wheel.schedule(() => ran.push('next'), 1)
    }, 10)
    for (let n = 0; n < 2 * MANY; n++) ids.push(wheel.schedule(() => ran.push('cleared'), 10))
    wheel.advance(10)
    expect([ran, wheel.pending]).toEqual([[], 1])
    wheel.advance(1)
    expect([ran, wheel.pending]).toEqual([['next'], 0])
  })

  it('continues after the callback of an interval trims it', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    fillAndEmpty(wheel)
    const interval = wheel.setInterval(() => {
      ran++
      wheel.trim()
    }, 10)
    wheel.advance(50)
    expect([ran, wheel.pending]).toEqual([5, 1])
    wheel.clearInterval(interval)
    const last = wheel.setInterval(() => {
      ran++
      wheel.clearInterval(last)
      wheel.trim()
      fillAndEmpty(wheel)
      wheel.trim()
    }, 10)
    wheel.advance(50)
    expect([ran, wheel.pending]).toEqual([6, 0])
  })

  it('continues after a microtask of a callback clears all other due timers and trims the wheel', async () => {
    const wheel = new backend.TimerWheel()
    let [ran, cleared] = [0, 0]
    const handles = Array.from({ length: 2 * MANY }, (_, i) =>
      wheel.setTimeout(() => {
        ran++
        if (i !== 10) return
        void Promise.resolve().then(() => {
          for (const handle of handles) handle.close()
          cleared = ran
          wheel.trim()
          wheel.setTimeout(() => ran++, 1)
        })
      }, 1),
    )
    await drained(wheel)
    expect([ran, wheel.pending]).toEqual([cleared + 1, 0])
    wheel.stop()
  })

  it.each([0, 2 ** 20, 2 ** 31 + 5, 2 ** 32 - 2, 2 ** 33 + 2 ** 31, 2 ** 43 + 7])(
    'keeps time when it is trimmed at tick %d',
    (start) => {
      for (const tick of [1, 7]) {
        const wheel = manualWheel(backend, { tick })
        fillAndEmpty(wheel)
        // The time of the core follows the clock only when timers run.
        if (start > 0) wheel.schedule(() => {}, start * tick)
        wheel.advance(start * tick)
        wheel.trim()
        let time = start
        const ran: [number, number][] = []
        const delays = [5, 1, 300, 70_000, 2 ** 29 + 3, 2 ** 33]
        const inOrder = [...delays].sort((a, b) => a - b)
        for (const delay of delays) wheel.schedule(() => ran.push([delay, time - start]), delay * tick)
        for (const delay of inOrder) {
          wheel.advance((start + delay - 1 - time) * tick)
          time = start + delay
          wheel.advance(tick)
        }
        // The last three ticks before each wrap encode states. A timer due at one of them runs at the wrap instead.
        wheel.advance(3 * tick)
        expect(ran.map(([delay]) => delay)).toEqual(inOrder)
        expect(ran.filter(([delay, at]) => at < delay)).toEqual([])
      }
    },
  )

  it('runs no timer early after a trim, measured by the real clock', async () => {
    const wheel = new backend.TimerWheel()
    const early: number[] = []
    let ran = 0
    for (let round = 0; round < 5; round++) {
      fillAndEmpty(wheel)
      wheel.trim()
      for (let n = 0; n < 500; n++) {
        const delay = 1 + (n % 9) / 2
        const due = now() + delay
        wheel.schedule(() => {
          ran++
          if (now() < due - ROUNDING) early.push(due - now())
        }, delay)
      }
      await drained(wheel)
    }
    expect([ran, early]).toEqual([2_500, []])
    wheel.stop()
  })

  it('does nothing once it is stopped', () => {
    const wheel = manualWheel(backend)
    for (let n = 0; n < MANY; n++) wheel.schedule(() => {}, 10)
    expect(wheel.stop()).toHaveLength(MANY)
    wheel.trim()
    expect([wheel.pending, wheel.stop()]).toEqual([0, []])
  })
})
