/** `clear()` cancels all timers of a wheel, which stays usable. `using` ends it. For its count see also counts.test.ts. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { scaled } from '../scale.js'
import { dispose, manualWheel, onEachBackend, thrownBy } from './backends.js'
import { turn } from './clock.js'

onEachBackend((backend) => {
  it.each([true, false])('cancels every kind of timer (async context: %p)', (asyncContext) => {
    const wheel = manualWheel(backend, { asyncContext })
    const ofAnother = manualWheel(backend, { asyncContext }).setTimeout(() => {}, 1)
    const ran: unknown[] = []
    const run = (what: unknown): void => void ran.push(what)
    const ids = Array.from({ length: 6000 }, (_, i) => wheel.schedule(run, 10 + i, i))
    ids.push(wheel.schedule(run, 2 ** 45, 'far'))
    wheel.reschedule(ids[7]!, 99)
    const handles = Array.from({ length: 200 }, (_, i) => wheel.setTimeout(run, 10 + i, i))
    handles[3]!.refresh()
    handles[4]!.unref()
    handles[5]!.unref().refresh(500)
    handles.push(wheel.setInterval(run, 10, 'interval'))
    const group = wheel.group(run, 50)
    const members = ['a', 'b', 'c'].map((item) => group.add(item))
    const empty = wheel.group(run, 50)
    empty.delete(empty.add('d'))

    expect(wheel.clear()).toBe(6001 + 201 + 3)
    expect([wheel.pending, [...wheel], group.size]).toEqual([0, [], 0])
    expect(ids.some((id) => wheel.cancel(id))).toBe(false)
    expect(members.some((member) => group.touch(member))).toBe(false)
    expect(handles.some((handle) => handle.pending || handle.refresh().pending)).toBe(false)
    wheel.advance(2 ** 46)
    expect([ran, wheel.clear()]).toEqual([[], 0])

    group.add('again')
    wheel.schedule(run, 60, 'id')
    wheel.setTimeout(run, 70, 'handle')
    wheel.advance(100)
    expect(ran).toEqual(['again', 'id', 'handle'])
    wheel.stop()
    expect([wheel.clear(), ofAnother.pending]).toEqual([0, true])
  })

  it('cancels timers that are due in the same pass', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const run = (what: string): void => void ran.push(what)
    wheel.schedule(() => {
      expect(wheel.clear()).toBe(4)
      wheel.schedule(run, 1, 'set after clear()')
    }, 5)
    wheel.schedule(run, 5, 'id')
    wheel.setTimeout(run, 5, 'timeout')
    wheel.setInterval(run, 5, 'interval')
    wheel.setTimeout(run, 3, 'refreshed').refresh(5)
    wheel.advance(10)
    expect([ran, wheel.pending]).toEqual([['set after clear()'], 0])
  })

  it('cancels the interval that calls it, refreshed or not', () => {
    const wheel = manualWheel(backend)
    const counts: number[] = []
    for (const refreshes of [false, true]) {
      const interval: Timeout = wheel.setInterval(() => {
        if (refreshes) interval.refresh()
        counts.push(wheel.clear())
      }, 5)
      wheel.schedule(() => {}, 50)
      wheel.advance(100)
      expect([interval.pending, wheel.pending]).toEqual([false, 0])
    }
    expect(counts).toEqual([2, 2])
  })

  it('keeps counts right through very many cancelled timers', () => {
    const wheel = manualWheel(backend)
    for (let round = 0; round < scaled(3, 20); round++) {
      for (let i = 0; i < 50_000; i++) wheel.schedule(() => {}, 1 + (i % 100))
      expect([wheel.clear(), wheel.pending]).toEqual([50_000, 0])
    }
    wheel.trim()
    expect(wheel.pending).toBe(0)
  })

  it('clears the real wheel of a program', async () => {
    const wheel = new backend.TimerWheel()
    let ran = 0
    for (let i = 0; i < 100; i++) wheel.setTimeout(() => ran++, 1)
    await turn()
    expect(wheel.clear() + ran).toBe(100)
    const before = ran
    await new Promise((resolve) => wheel.setTimeout(resolve, 5))
    expect(ran).toBe(before)
    wheel.stop()
  })

  it('is stopped at the end of the scope of `using`', () => {
    const wheel = manualWheel(backend)
    const handle = wheel.setTimeout(() => {}, 5)
    expect([wheel[dispose](), wheel[dispose](), handle.pending]).toEqual([undefined, undefined, false])
    expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })
})
