/** `clear()` cancels all timers of a wheel, which stays usable. `stop()` and `using` end it. */

import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { scaled } from '../scale.js'
import { dispose, manualWheel, onEachBackend, thrownBy } from './backends.js'
import { turn } from './clock.js'

onEachBackend((backend) => {
  for (const asyncContext of [true, false]) {
    it(`cancels every kind of timer and returns their number (async context: ${asyncContext})`, () => {
      const wheel = manualWheel(backend, { asyncContext })
      const ran: unknown[] = []
      const run = (what: unknown): void => {
        ran.push(what)
      }
      const ids = Array.from({ length: 6000 }, (_, i) => wheel.schedule(run, 10 + i, i))
      const far = wheel.schedule(run, 2 ** 45, 'far')
      const handles = Array.from({ length: 200 }, (_, i) => wheel.setTimeout(run, 10 + i, i))
      handles[3]!.refresh()
      handles[4]!.unref()
      handles[5]!.unref().refresh(500)
      const interval = wheel.setInterval(run, 10, 'interval')
      wheel.reschedule(ids[7]!, 99)
      const group = wheel.group(run, 50)
      const members = ['a', 'b', 'c'].map((item) => group.add(item))
      const empty = wheel.group(run, 50)
      empty.delete(empty.add('d'))
      const before = wheel.pending
      expect(before).toBe(6000 + 1 + 200 + 1 + 3)

      expect(wheel.clear()).toBe(before)
      expect([wheel.pending, [...wheel], group.size]).toEqual([0, [], 0])
      expect([...ids, far].some((id) => wheel.cancel(id))).toBe(false)
      expect(members.some((member) => group.touch(member))).toBe(false)
      expect([...handles, interval].some(({ pending }) => pending)).toBe(false)
      for (const handle of [...handles, interval]) handle.refresh()
      expect(wheel.pending).toBe(0)
      wheel.advance(2 ** 46)
      expect(ran).toEqual([])
      expect(wheel.clear()).toBe(0)

      group.add('again')
      wheel.schedule(run, 60, 'id')
      wheel.setTimeout(run, 70, 'handle')
      expect(wheel.pending).toBe(3)
      wheel.advance(100)
      expect(ran).toEqual(['again', 'id', 'handle'])
    })
  }

  it('cancels timers that are due in the same pass', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    wheel.schedule(() => {
      ran.push('first')
      expect(wheel.clear()).toBe(4)
      wheel.schedule(() => ran.push('set after clear()'), 1)
    }, 5)
    wheel.schedule(() => ran.push('id'), 5)
    wheel.setTimeout(() => ran.push('timeout'), 5)
    wheel.setInterval(() => ran.push('interval'), 5)
    wheel.setTimeout(() => ran.push('refreshed'), 3).refresh(5)
    wheel.advance(10)
    expect(ran).toEqual(['first', 'set after clear()'])
    expect(wheel.pending).toBe(0)
  })

  it('cancels the interval that calls it', () => {
    const wheel = manualWheel(backend)
    const counts: number[] = []
    const interval = wheel.setInterval(() => counts.push(wheel.clear()), 5)
    wheel.schedule(() => {}, 50)
    wheel.advance(100)
    expect(counts).toEqual([2])
    expect([interval.pending, wheel.pending]).toEqual([false, 0])
    const refreshed: Timeout = wheel.setInterval(() => {
      refreshed.refresh()
      counts.push(wheel.clear())
    }, 5)
    wheel.advance(100)
    expect(counts).toEqual([2, 1])
    expect(wheel.pending).toBe(0)
  })

  it('does nothing to a stopped wheel or to another wheel', () => {
    const [wheel, other] = [manualWheel(backend), manualWheel(backend)]
    wheel.schedule(() => {}, 1)
    const handle = other.setTimeout(() => {}, 1)
    wheel.stop()
    expect(wheel.clear()).toBe(0)
    expect([other.pending, handle.pending]).toEqual([1, true])
  })

  it('keeps counts right through very many cancelled timers', () => {
    const wheel = manualWheel(backend)
    for (let round = 0; round < scaled(3, 20); round++) {
      for (let i = 0; i < 50_000; i++) wheel.schedule(() => {}, 1 + (i % 100))
      if (wheel.clear() !== 50_000) throw new Error('a wrong count')
    }
    expect(wheel.pending).toBe(0)
    wheel.trim()
    expect(wheel.pending).toBe(0)
  })

  it('clears the real wheel of a program', async () => {
    const wheel = new backend.TimerWheel()
    let ran = 0
    for (let i = 0; i < 100; i++) wheel.setTimeout(() => ran++, 1)
    await turn()
    const left = wheel.pending
    expect(wheel.clear()).toBe(left)
    const before = ran
    await new Promise((resolve) => wheel.setTimeout(resolve, 5))
    expect(ran).toBe(before)
    wheel.stop()
  })

  it('is stopped at the end of the scope of `using`', () => {
    const wheel = manualWheel(backend)
    const handle = wheel.setTimeout(() => {}, 5)
    expect(wheel[dispose]()).toBeUndefined()
    expect(handle.pending).toBe(false)
    expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    expect(() => wheel[dispose]()).not.toThrow()
    expect(wheel.stop()).toEqual([])
  })
})
