/** The package refuses invalid arguments with exact errors, and leaves all timers as they were. For delays see bad-options.test.ts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'

onEachBackend((backend) => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['text', '"text"'],
    [5, '5'],
    [{}, 'an object'],
    [[], 'an array'],
    [7n, '7n'],
    [Symbol('s'), 'Symbol(s)'],
  ])('refuses a callback that is not a function: %p', (callback, shown) => {
    const wheel = manualWheel(backend)
    const refused = (set: () => unknown): object => {
      const { name, message, code } = thrownBy(set) as Error & { code: unknown }
      return { name, message, code }
    }
    // Node's own function says what to expect, so that the test fits every version.
    const native = refused(() => setTimeout(callback as never, 1))
    expect(native).toMatchObject({ name: 'TypeError', code: TYPE })
    for (const set of [
      () => wheel.setTimeout(callback as never, 1),
      () => wheel.setInterval(callback as never, 1),
      () => backend.setTimeout(callback as never, 1),
      () => backend.setInterval(callback as never, 1),
    ]) {
      expect(refused(set)).toEqual(native)
    }
    expect(refused(() => wheel.schedule(callback as never, 1))).toEqual({
      name: 'TypeError',
      message: `callback must be a function, got ${shown}`,
      code: TYPE,
    })
    expect(wheel.pending).toBe(0)
  })

  it.each([undefined, null, '8192', {}, 8192n])('refuses an id that is not a number: %p', (id) => {
    const wheel = manualWheel(backend)
    wheel.schedule(() => {}, 10)
    for (const call of [() => wheel.cancel(id as never), () => wheel.reschedule(id as never, 1)]) {
      const error = thrownBy(call)
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toMatch(/^id must be a number that schedule\(\) returned, got /)
      expect(error).toMatchObject({ code: TYPE })
    }
    expect(wheel.pending).toBe(1)
  })

  const tick = 'tick must be a multiple of 0.001 ms from 0.05 to 2147483647'
  const budget = 'budget must be a number of milliseconds above 0, or Infinity'
  const most = 'maxPending must be a whole number from 1, or Infinity'
  it.each([
    [{ tick: 0 }, RangeError, RANGE, `${tick}, got 0`],
    [{ tick: -1 }, RangeError, RANGE, `${tick}, got -1`],
    [{ tick: 0.049 }, RangeError, RANGE, `${tick}, got 0.049`],
    [{ tick: 0.0505 }, RangeError, RANGE, `${tick}, got 0.0505`],
    [{ tick: 3 * 0.05 }, RangeError, RANGE, `${tick}, got 0.15000000000000002`],
    [{ tick: 2 ** 31 - 0.999 }, RangeError, RANGE, `${tick}, got 2147483647.001`],
    [{ tick: Number.POSITIVE_INFINITY }, RangeError, RANGE, `${tick}, got Infinity`],
    [{ tick: Number.NaN }, RangeError, RANGE, `${tick}, got NaN`],
    [{ tick: 2 ** 31 }, RangeError, RANGE, `${tick}, got 2147483648`],
    [{ tick: '1' }, TypeError, TYPE, 'tick must be a number of milliseconds, got "1"'],
    [{ tick: null }, TypeError, TYPE, 'tick must be a number of milliseconds, got null'],
    [{ budget: 0 }, RangeError, RANGE, `${budget}, got 0`],
    [{ budget: -5 }, RangeError, RANGE, `${budget}, got -5`],
    [{ budget: Number.NaN }, RangeError, RANGE, `${budget}, got NaN`],
    [{ budget: '5' }, TypeError, TYPE, 'budget must be a number of milliseconds, got "5"'],
    [{ asyncContext: 1 }, TypeError, TYPE, 'asyncContext must be a boolean, got 1'],
    [
      { driver: 'loop' },
      TypeError,
      'ERR_INVALID_ARG_VALUE',
      'driver must be one of host, worker, animation-frame, manual, got "loop"',
    ],
    [{ maxPending: 0 }, RangeError, RANGE, `${most}, got 0`],
    [{ maxPending: -1 }, RangeError, RANGE, `${most}, got -1`],
    [{ maxPending: 1.5 }, RangeError, RANGE, `${most}, got 1.5`],
    [{ maxPending: Number.NaN }, RangeError, RANGE, `${most}, got NaN`],
    [{ maxPending: 2 ** 53 }, RangeError, RANGE, `${most}, got 9007199254740992`],
    [{ maxPending: '5' }, TypeError, TYPE, 'maxPending must be a number of timers, got "5"'],
    [{ maxPending: null }, TypeError, TYPE, 'maxPending must be a number of timers, got null'],
    [{ name: 1 }, TypeError, TYPE, 'name must be a string, got 1'],
    [{ name: null }, TypeError, TYPE, 'name must be a string, got null'],
    [{ measure: 1 }, TypeError, TYPE, 'measure must be a boolean, got 1'],
    [{ measure: null }, TypeError, TYPE, 'measure must be a boolean, got null'],
  ])('refuses the options %p', (options, Class, code, message) => {
    const error = thrownBy(() => new backend.TimerWheel(options as never))
    expect(error).toBeInstanceOf(Class)
    expect(error).toMatchObject({ code })
    expect((error as Error).message.startsWith(message)).toBe(true)
  })

  it.each([
    {},
    undefined,
    { tick: 1, budget: Number.POSITIVE_INFINITY },
    { tick: 2 ** 31 - 1 },
    { maxPending: 1, unref: true, name: 'a wheel' },
    { maxPending: Number.POSITIVE_INFINITY, unref: false, name: '' },
    { maxPending: undefined, unref: undefined, name: undefined },
    { maxPending: Number.MAX_SAFE_INTEGER },
    { tick: 0.05 },
    { tick: 2 ** 31 - 1.001 },
  ])('accepts the options %p', (options) => {
    const wheel = new backend.TimerWheel(options)
    wheel.schedule(() => {}, 1)
    expect(wheel.stop()).toHaveLength(1)
  })

  it.each([
    [-1, RangeError],
    [Number.NaN, RangeError],
    [Number.POSITIVE_INFINITY, RangeError],
    [2 ** 53, RangeError],
    ['1', TypeError],
    [undefined, TypeError],
  ])('refuses to advance by %p', (ms, Class) => {
    const wheel = manualWheel(backend)
    wheel.schedule(() => {}, 1)
    const error = thrownBy(() => wheel.advance(ms as never))
    expect(error).toBeInstanceOf(Class)
    expect(error).toMatchObject({ code: Class === RangeError ? RANGE : TYPE })
    expect(wheel.pending).toBe(1)
    wheel.advance(1)
    expect(wheel.pending).toBe(0)
  })

  it('refuses to advance a wheel that the event loop drives', () => {
    const error = thrownBy(() => new backend.TimerWheel().advance(1))
    expect(error).toMatchObject({ name: 'Error', code: 'ERR_WHEEL_DRIVER' })
  })

  it('refuses a nested advance(), and runs the other callbacks', () => {
    const wheel = manualWheel(backend)
    const errors: unknown[] = []
    let ran = 0
    wheel.schedule(() => errors.push(thrownBy(() => wheel.advance(1))), 5)
    wheel.schedule(() => ran++, 5)
    wheel.advance(5)
    expect(errors).toMatchObject([{ name: 'Error', code: 'ERR_WHEEL_DRIVER' }])
    expect(ran).toBe(1)
  })

  it('refuses to be called without new', () => {
    expect(() => (backend.TimerWheel as unknown as () => void)()).toThrow(TypeError)
  })

  it('runs the accepted timers as if no call had been refused', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    for (let i = 0; i < 100; i++) {
      wheel.schedule((n) => ran.push(n), 10, i)
      expect(() => wheel.schedule(() => ran.push(-1), -1)).toThrow(RangeError)
      expect(thrownBy(() => wheel.setTimeout(null as never, 10))).toMatchObject({ code: TYPE })
    }
    expect(wheel.pending).toBe(100)
    wheel.advance(10)
    expect(ran).toEqual(Array.from({ length: 100 }, (_, i) => i))
  })
})
