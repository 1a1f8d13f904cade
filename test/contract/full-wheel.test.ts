/** A wheel that gets no memory for more timers, or has `maxPending`, refuses them, and keeps those that it has. See also model.test.ts. */
import type { Timeout } from 'timeout-wheel'
import { ignore, manualWheel, onEachBackend, thrownBy, type Wheel, type WheelOptions } from './backends.js'

/** The number of timers for which a new wheel has room. */
const MOST = 36_703
const FULL = { name: 'RangeError', code: 'ERR_WHEEL_FULL' }
const LIMIT = { name: 'RangeError', code: 'ERR_WHEEL_LIMIT' }

/** Runs code while no memory grows. Node can run without WebAssembly: then the memory of a wheel is a plain buffer. */
function withoutMemory(code: () => void): void {
  if (typeof WebAssembly === 'undefined') return
  const { prototype } = WebAssembly.Memory
  const { grow } = prototype
  prototype.grow = () => {
    throw new RangeError('no memory')
  }
  try {
    code()
  } finally {
    prototype.grow = grow
  }
}

/** Returns how many timers the wheel takes until it is full. */
function fill(wheel: Wheel, refusal: object = FULL): number {
  const { pending } = wheel
  const setAll = (): never => {
    for (;;) wheel.schedule(ignore, 1000)
  }
  expect(thrownBy(setAll)).toMatchObject(refusal)
  return wheel.pending - pending
}

onEachBackend((backend) => {
  it.each<[string, object, number, WheelOptions]>([
    ['its memory', FULL, MOST, {}],
    ['maxPending', LIMIT, 10, { maxPending: 10 }],
  ])('takes a handle again that it has refused to refresh because of %s', (_, refusal, most, options) => {
    withoutMemory(() => {
      const wheel = manualWheel(backend, options)
      let ran = 0
      const timeout = wheel.setTimeout(() => ran++, 10)
      const number = +timeout
      wheel.advance(10)
      const other = wheel.setTimeout(ignore, 1000)
      expect(fill(wheel, refusal)).toBe(most - 1)
      for (const set of [
        () => timeout.refresh(),
        () => timeout.refresh(5),
        () => wheel.setTimeout(ignore, 1),
      ])
        expect(thrownBy(set)).toMatchObject(refusal)
      // The number is no longer known, and then known again.
      wheel.clearTimeout(number)
      other.close()
      timeout.refresh()
      expect(wheel.pending).toBe(most)
      wheel.advance(10)
      expect(ran).toBe(2)
      timeout.refresh()
      wheel.clearTimeout(number)
      expect(wheel.pending).toBe(most - 1)
    })
  })

  it('keeps the place of an interval while its callback runs, also if it throws or refreshes the interval', () => {
    withoutMemory(() => {
      const wheel = manualWheel(backend)
      let runs = 0
      const interval: Timeout = wheel.setInterval(() => {
        expect(thrownBy(() => wheel.setTimeout(ignore, 1))).toMatchObject(FULL)
        if (++runs > 2) interval.refresh()
        throw new Error('expected')
      }, 5)
      fill(wheel)
      for (let run = 0; run < 4; run++) expect(() => wheel.advance(5)).toThrow()
      expect([runs, wheel.pending]).toEqual([4, MOST])
      interval.close()
      expect(fill(wheel)).toBe(1)
    })
  })

  it.each([
    ['', 'the wheel'],
    ['requests', 'the wheel "requests"'],
  ])('names the wheel %p that refuses, after it has checked the arguments', (name, named) => {
    const wheel = manualWheel(backend, { maxPending: 1, name })
    const message = `${named} takes no more timers: maxPending is 1`
    const ended = wheel.group(ignore, 5)
    ended.stop()
    wheel.schedule(ignore, 1)
    expect(thrownBy(() => ended.add(1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    const calls = [
      () => wheel.schedule(ignore, 1),
      () => wheel.schedule(ignore, 2 ** 40),
      () => wheel.setTimeout(ignore, 1),
      () => wheel.setInterval(ignore, 1),
    ]
    for (const call of calls) expect(thrownBy(call)).toMatchObject({ ...LIMIT, message })
    const codes = [
      () => wheel.schedule(null as never, 1),
      () => wheel.schedule(ignore, '1' as never),
      () => wheel.setTimeout(null as never, 1),
      () => wheel.schedule(ignore, -1),
    ].map((call) => (thrownBy(call) as { code: string }).code)
    expect(codes).toEqual([...Array(3).fill('ERR_INVALID_ARG_TYPE'), 'ERR_OUT_OF_RANGE'])
    expect([wheel.name, wheel.stop().length]).toEqual([name, 1])
    const stopped = `${named} was stopped: it takes no more timers`
    for (const call of calls)
      expect(thrownBy(call)).toMatchObject({ name: 'Error', code: 'ERR_WHEEL_STOPPED', message: stopped })
  })
})
