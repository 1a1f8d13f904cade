/** `maxPending` bounds the timers of a wheel. A refused call changes nothing, and the count stays right. */

import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

const LIMIT = { name: 'RangeError', code: 'ERR_WHEEL_LIMIT' }

onEachBackend((backend) => {
  const limited = (maxPending: number, asyncContext = true): Wheel =>
    manualWheel(backend, { maxPending, asyncContext })

  it.each([
    ['setTimeout', (wheel: Wheel) => wheel.setTimeout(() => {}, 10)],
    ['setTimeout with an argument', (wheel: Wheel) => wheel.setTimeout((_: number) => {}, 10, 1)],
    ['setInterval', (wheel: Wheel) => wheel.setInterval(() => {}, 10)],
    ['schedule', (wheel: Wheel) => wheel.schedule(() => {}, 10)],
    ['schedule with an argument', (wheel: Wheel) => wheel.schedule((_: number) => {}, 10, 1)],
    ['schedule for a far time', (wheel: Wheel) => wheel.schedule(() => {}, 2 ** 40)],
  ])('refuses one more timer of %s, and takes it when another has ended', (_name, set) => {
    const wheel = limited(3)
    const ids = [1, 2, 3].map((ms) => wheel.schedule(() => {}, ms))
    for (let i = 0; i < 3; i++) {
      expect(thrownBy(() => set(wheel))).toMatchObject({
        ...LIMIT,
        message: 'the wheel takes no more timers: maxPending is 3',
      })
      expect(wheel.pending).toBe(3)
    }
    wheel.cancel(ids[0]!)
    set(wheel)
    expect(wheel.pending).toBe(3)
    expect(thrownBy(() => set(wheel))).toMatchObject(LIMIT)
    wheel.advance(2)
    set(wheel)
    expect(thrownBy(() => set(wheel))).toMatchObject(LIMIT)
    expect(wheel.stop()).toHaveLength(3)
  })

  it('names the wheel that refuses', () => {
    const wheel = manualWheel(backend, { maxPending: 1, name: 'requests' })
    wheel.schedule(() => {}, 1)
    const { message } = thrownBy(() => wheel.schedule(() => {}, 1)) as Error
    expect(message).toBe('the wheel "requests" takes no more timers: maxPending is 1')
    expect(wheel.name).toBe('requests')
    expect(new backend.TimerWheel().name).toBe('')
  })

  it('checks the arguments before the limit', () => {
    const wheel = limited(1)
    wheel.schedule(() => {}, 1)
    for (const call of [
      () => wheel.schedule(null as never, 1),
      () => wheel.schedule(() => {}, '1' as never),
      () => wheel.setTimeout(null as never, 1),
    ]) {
      expect(thrownBy(call)).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    }
    expect(thrownBy(() => wheel.schedule(() => {}, -1))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
  })

  it('moves pending timers of a full wheel', () => {
    const wheel = limited(2)
    const ran: string[] = []
    const id = wheel.schedule(() => ran.push('id'), 10)
    const handle = wheel.setTimeout(() => ran.push('handle'), 10)
    expect(wheel.reschedule(id, 30)).toBe(true)
    expect(wheel.reschedule(id, 30.5)).toBe(true)
    handle.refresh()
    handle.refresh(20)
    wheel.advance(20)
    expect(ran).toEqual(['handle'])
    wheel.advance(11)
    expect(ran).toEqual(['handle', 'id'])
  })

  it('refuses to refresh a timer that has run, which stays able to', () => {
    const wheel = limited(1)
    let ran = 0
    const handle = wheel.setTimeout(() => ran++, 1)
    const number = +handle
    wheel.advance(1)
    const other = wheel.setTimeout(() => {}, 50)
    expect(thrownBy(() => handle.refresh())).toMatchObject(LIMIT)
    expect(thrownBy(() => handle.refresh(5))).toMatchObject(LIMIT)
    expect(wheel.pending).toBe(1)
    // The number of the refused handle names no timer.
    wheel.clearTimeout(number)
    other.close()
    handle.refresh(2)
    wheel.advance(2)
    expect(ran).toBe(2)
  })

  it.each([true, false])('never refuses the next run of an interval (async context: %p)', (asyncContext) => {
    const wheel = limited(2, asyncContext)
    const errors: unknown[] = []
    let runs = 0
    wheel.setInterval(() => {
      runs++
      // One place is free. The other is the interval's own.
      wheel.schedule(() => {}, 5)
      errors.push(thrownBy(() => wheel.schedule(() => {}, 5)))
    }, 10)
    wheel.advance(100)
    expect(runs).toBe(10)
    expect(errors).toHaveLength(10)
    for (const error of errors) expect(error).toMatchObject(LIMIT)
    expect(wheel.pending).toBe(2)
  })

  it('gives the place of an interval that its callback has ended to another timer', () => {
    const wheel = limited(1)
    let ran = 0
    const interval = wheel.setInterval(() => {
      expect(thrownBy(() => wheel.schedule(() => ran++, 5))).toMatchObject(LIMIT)
      interval.close()
      wheel.schedule(() => ran++, 5)
      expect(thrownBy(() => wheel.schedule(() => ran++, 5))).toMatchObject(LIMIT)
    }, 10)
    wheel.advance(100)
    expect([ran, wheel.pending]).toEqual([1, 0])
  })

  it('lets a running interval take its own place by refresh()', () => {
    const wheel = limited(1)
    let runs = 0
    const interval = wheel.setInterval(() => {
      runs++
      interval.refresh()
      expect(thrownBy(() => wheel.schedule(() => {}, 5))).toMatchObject(LIMIT)
      expect(wheel.pending).toBe(1)
    }, 10)
    wheel.advance(30)
    expect([runs, wheel.pending]).toEqual([3, 1])
  })

  it('has no place for a timer before its callback has begun', () => {
    const wheel = limited(1)
    const ran: number[] = []
    const again = (n: number): void => {
      ran.push(n)
      if (n < 5) wheel.schedule(again, 1, n + 1)
      expect(wheel.pending).toBe(n < 5 ? 1 : 0)
    }
    wheel.schedule(again, 1, 1)
    wheel.runAll()
    expect(ran).toEqual([1, 2, 3, 4, 5])
  })

  it('keeps the place of an interval whose callback throws', () => {
    const wheel = limited(1)
    let runs = 0
    wheel.setInterval(() => {
      runs++
      throw new Error('expected')
    }, 10)
    for (let i = 0; i < 3; i++) expect(() => wheel.advance(10)).toThrow('expected')
    expect(thrownBy(() => wheel.schedule(() => {}, 5))).toMatchObject(LIMIT)
    expect([runs, wheel.pending]).toEqual([3, 1])
  })

  it('refuses with ERR_WHEEL_STOPPED after stop()', () => {
    const wheel = limited(1)
    wheel.schedule(() => {}, 1)
    wheel.stop()
    expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    expect(thrownBy(() => wheel.setTimeout(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })
})
