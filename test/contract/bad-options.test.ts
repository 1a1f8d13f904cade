/** Every call that takes a delay or options refuses invalid ones with exact errors, and changes nothing. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'
const VALUE = 'ERR_INVALID_ARG_VALUE'

onEachBackend((backend) => {
  const range = 'must be a finite number of milliseconds from 0 to 9007199254740991'
  const typed = 'must be a number of milliseconds'
  it.each([
    [Number.NaN, RangeError, RANGE, `${range}, got NaN`],
    [Number.POSITIVE_INFINITY, RangeError, RANGE, `${range}, got Infinity`],
    [-1, RangeError, RANGE, `${range}, got -1`],
    [-0.001, RangeError, RANGE, `${range}, got -0.001`],
    [2 ** 53, RangeError, RANGE, `${range}, got 9007199254740992`],
    [undefined, TypeError, TYPE, `${typed}, got undefined`],
    ['10', TypeError, TYPE, `${typed}, got "10"`],
    [null, TypeError, TYPE, `${typed}, got null`],
    [10n, TypeError, TYPE, `${typed}, got 10n`],
    [{ valueOf: (): number => 10 }, TypeError, TYPE, `${typed}, got an object`],
    ['x'.repeat(100), TypeError, TYPE, `${typed}, got "${'x'.repeat(25)}..."`],
  ])('refuses the delay %p', (given, Class, code, message) => {
    const delay = given as never
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const id = wheel.schedule(() => ran.push('id'), 10)
    const group = wheel.group((item: string) => ran.push(item), 10)
    group.add('member')
    const signal = wheel.signal(10)
    const calls = [
      () => wheel.schedule(() => ran.push('refused'), delay),
      () => wheel.reschedule(id, delay),
      () => wheel.reschedule(0, delay),
      () => wheel.group(() => {}, delay),
      () => backend.timerGroup(() => {}, delay),
      () => (group.delay = delay),
      () => wheel.signal(delay),
      () => backend.timeoutSignal(delay),
    ]
    // Without an argument, refresh() keeps the delay.
    if (given !== undefined) calls.push(() => signal.refresh(delay))
    for (const call of calls) {
      const error = thrownBy(call)
      expect(error).toBeInstanceOf(Class)
      expect(error).toMatchObject({ code, message: `delay ${message}` })
    }
    expect([group.delay, wheel.pending]).toEqual([10, 3])
    wheel.advance(9)
    expect([ran, signal.aborted]).toEqual([[], false])
    wheel.advance(1)
    expect([ran, signal.aborted]).toEqual([['id', 'member'], true])
  })

  type Take = (options: never, wheel: Wheel) => unknown
  const takers: [call: string, known: string, valid: object, take: Take][] = [
    [
      'new TimerWheel()',
      'tick, budget, asyncContext, driver, maxPending, unref, name, measure, slack',
      { maxPending: 5, unref: undefined },
      (options) => new backend.TimerWheel(options),
    ],
    [
      'new TimeoutMap()',
      'ttl, max, refreshOnGet, onExpire, unref, wheel',
      { ttl: 5, max: undefined },
      (options) => new backend.TimeoutMap(options),
    ],
    ['group()', 'unref', { unref: true }, (options, wheel) => wheel.group(() => {}, 10, options)],
    [
      'timerGroup()',
      'unref',
      { unref: false },
      (options) => backend.timerGroup(() => {}, 10, options).stop(),
    ],
    ['signal()', 'unref', { unref: false }, (options, wheel) => wheel.signal(1, options).clear()],
    [
      'timeoutSignal()',
      'unref',
      { unref: undefined },
      (options) => backend.timeoutSignal(1, options).clear(),
    ],
    [
      'schedule()',
      'slack',
      { slack: 5 },
      (options, wheel) => wheel.cancel(wheel.schedule(() => {}, 1, undefined, options)),
    ],
  ]

  it.each(takers)('refuses wrong options of %s', (_call, known, _valid, take) => {
    const wheel = manualWheel(backend)
    const wrong: [options: unknown, code: string, message: string][] = [
      [null, TYPE, 'options must be an object, got null'],
      [5, TYPE, 'options must be an object, got 5'],
      [[], TYPE, 'options must be an object, got an array'],
      [() => {}, TYPE, 'options must be an object, got function'],
      [{ other: 1 }, VALUE, `every option must be one of ${known}, got "other"`],
      [
        { [known.split(', ')[0]!]: undefined, Ref: undefined },
        VALUE,
        `every option must be one of ${known}, got "Ref"`,
      ],
    ]
    if (known.includes('unref')) {
      wrong.push([{ unref: 1 }, TYPE, 'unref must be a boolean, got 1'])
      wrong.push([{ unref: null }, TYPE, 'unref must be a boolean, got null'])
    }
    for (const [options, code, message] of wrong) {
      expect(thrownBy(() => take(options as never, wheel))).toMatchObject({
        name: 'TypeError',
        code,
        message,
      })
    }
    const error = new Error('from an accessor')
    const throwing = Object.defineProperty({}, known.split(', ')[0]!, {
      enumerable: true,
      get() {
        throw error
      },
    })
    expect(thrownBy(() => take(throwing as never, wheel))).toBe(error)
    expect(wheel.pending).toBe(0)
  })

  it.each(takers)(
    'takes frozen options of %s, proxies, and options without a prototype',
    (_call, _known, valid, take) => {
      const wheel = manualWheel(backend)
      for (const options of [
        undefined,
        {},
        Object.freeze({ ...valid }),
        new Proxy(valid, {}),
        Object.assign(Object.create(null), valid),
      ]) {
        expect(() => take(options as never, wheel)).not.toThrow()
      }
      expect(wheel.pending).toBe(0)
    },
  )
})
