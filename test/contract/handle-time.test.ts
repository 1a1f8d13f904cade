/** `pending`, `deadline` and `remaining` of handles, on the scale of the wheel's `now`. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait, drained, now, ROUNDING } from './clock.js'
import { newSeed, randomFrom } from './random.js'

onEachBackend((backend) => {
  const timesOf = ({ pending, deadline, remaining }: Timeout) => [pending, deadline, remaining]
  const ENDED = [false, Number.NaN, Number.NaN]

  it.each([true, false])('follows a timer from its start to its end (async context: %p)', (asyncContext) => {
    const wheel = manualWheel(backend, { asyncContext })
    wheel.advance(1000)
    const seen: unknown[] = []
    const handle: Timeout = wheel.setTimeout(() => seen.push(timesOf(handle)), 50)
    expect(timesOf(handle)).toEqual([true, 1050, 50])
    wheel.advance(20)
    expect(timesOf(handle)).toEqual([true, 1050, 30])
    expect(timesOf(handle.refresh())).toEqual([true, 1070, 50])
    wheel.advance(10)
    expect(timesOf(handle.refresh(5))).toEqual([true, 1035, 5])
    wheel.advance(5)
    expect([...seen, timesOf(handle)]).toEqual([ENDED, ENDED])
    expect(timesOf(handle.refresh(7))).toEqual([true, 1042, 7])
    expect(timesOf(handle.close())).toEqual(ENDED)
    expect(timesOf(handle.refresh())).toEqual(ENDED)
    const other = wheel.setTimeout(() => {}, 5)
    wheel.stop()
    expect(timesOf(other)).toEqual(ENDED)
  })

  it('gives an interval the deadline of its next run, also beyond the range of ticks; none while its callback runs', () => {
    const wheel = manualWheel(backend)
    const most = 2 ** 31 - 1
    const seen: unknown[] = []
    const interval: Timeout = wheel.setInterval(() => seen.push(timesOf(interval)), most)
    wheel.advance(2 ** 30)
    expect(timesOf(interval)).toEqual([true, most, most - 2 ** 30])
    expect(timesOf(interval.refresh())).toEqual([true, most + 2 ** 30, most])
    wheel.advance(2 * most + 15)
    expect([...seen, timesOf(interval)]).toEqual([ENDED, ENDED, [true, 3 * most + 2 ** 30, most - 15]])
  })

  it('is no field of a handle, ignores writes as constants do, and is read through objects that stand for it', () => {
    const handle = manualWheel(backend).setTimeout(() => {}, 5)
    const listed: string[] = []
    for (const name in handle) listed.push(name)
    for (const name of ['pending', 'deadline', 'remaining']) {
      expect([...Object.keys(handle), ...listed]).not.toContain(name)
      expect(Object.hasOwn(handle, name)).toBe(false)
      expect(() => Reflect.set(handle, name, 1)).not.toThrow()
      expect(() => Reflect.get(Object.getPrototypeOf(handle), name)).not.toThrow()
    }
    for (const mask of [Object.create(handle), new Proxy(handle, {}), Object.create(Object.create(handle))]) {
      expect(timesOf(mask)).toEqual([true, 5, 5])
    }
    handle.close()
    expect(timesOf(Object.create(handle))).toEqual(ENDED)
  })

  it('agrees with the time at which each timer runs, on ticks of any length', () => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheel = manualWheel(backend, { tick: [1, 2, 3, 100][random.below(4)]! })
    const wrong: unknown[] = []
    const timers = Array.from({ length: 300 }, () => {
      const timer = { deadline: Number.NaN, handle: wheel.setTimeout(check, random.below(500)) }
      function check(): void {
        if (wheel.now !== timer.deadline) wrong.push([wheel.now, timer.deadline])
      }
      timer.deadline = timer.handle.deadline
      return timer
    })
    for (let step = 0; step < 300; step++) {
      const timer = timers[random.below(300)]!
      const { deadline, remaining } = timer.handle.refresh(random() < 0.5 ? undefined : 1 + random.below(300))
      timer.deadline = deadline
      // The time in ticks of 3 ms has no exact number.
      if (!(Math.abs(deadline - wheel.now - remaining) < ROUNDING))
        wrong.push([deadline, wheel.now, remaining])
      wheel.advance(random.below(3))
    }
    wheel.runAll()
    expect({ seed, wrong }).toEqual({ seed, wrong: [] })
  })

  it('is never reached early on a clock that goes on after stop(); remaining becomes negative', async () => {
    const wheel = new backend.TimerWheel()
    const first = wheel.now
    const made = now()
    expect(first).toBeGreaterThanOrEqual(0)
    let early = 0
    const handles = Array.from({ length: 200 }, (_, i) => {
      const handle = wheel.setTimeout(() => {
        if (wheel.now < deadline) early++
      }, i % 20)
      const { deadline } = handle
      return handle
    })
    const [late, last] = [handles[1]!, handles.at(-1)!]
    expect(last.remaining).toBeGreaterThan(0)
    expect(last.remaining).toBeLessThanOrEqual(last.deadline)
    busyWait(25)
    expect(late.remaining).toBeLessThan(-20)
    expect(late.pending).toBe(true)
    // A page reads its clock in steps of up to a millisecond.
    expect(wheel.now - first).toBeGreaterThanOrEqual(24)
    expect(wheel.now).toBeLessThanOrEqual(now() - made + 1000)
    await drained(wheel)
    expect(early).toBe(0)
    const { now: before } = wheel
    wheel.stop()
    expect(wheel.now).toBeGreaterThanOrEqual(before)
    busyWait(2)
    expect(wheel.now).toBeGreaterThan(before)
  })

  it('has a virtual clock that starts at 0, and that callbacks see at their deadlines', () => {
    const wheel = manualWheel(backend)
    const seen = [wheel.now]
    for (const ms of [5, 3, 3, 0.5]) wheel.schedule(() => seen.push(wheel.now), ms)
    wheel.advance(10.5)
    expect([...seen, wheel.now]).toEqual([0, 1, 3, 3, 5, 10.5])
    const hundreds = manualWheel(backend, { tick: 100 })
    hundreds.advance(30)
    const { deadline, remaining } = hundreds.setTimeout(() => {}, 80)
    expect([hundreds.now, deadline]).toEqual([30, 200])
    expect(remaining).toBeCloseTo(170, 9)
  })
})
