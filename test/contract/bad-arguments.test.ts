/** Every call refuses invalid callbacks, delays, ids, times and options with exact errors, and changes nothing. */
// biome-ignore format: a list of words
import { 
  expectRefusal, ignore, isForNode, manualWheel, onEachBackend, RANGE, TYPE, throwerOf, thrownBy, VALUE, type Wheel,
} from './backends.js'

const { NaN: NAN, POSITIVE_INFINITY: INFINITY } = Number

const MS = 'a number of milliseconds'
const FINITE = `a finite number of milliseconds from 0 to ${2 ** 53 - 1}`

/** What an option must be, and values that it is not. */
type Wrong = [code: string, option: string, what: string, values: unknown[]]
const OF_WHEELS: Wrong[] = [
  [TYPE, 'tick', MS, ['1', null]],
  [RANGE, 'tick', 'a multiple of 0.001 ms from 0.05 to 2147483647', [0, -1, 0.049, 0.0505, 3 * 0.05, NAN]],
  [RANGE, 'tick', 'a multiple of 0.001 ms from 0.05 to 2147483647', [2 ** 31 - 0.999, 2 ** 31, INFINITY]],
  [TYPE, 'budget', MS, ['5']],
  [RANGE, 'budget', `${MS} above 0, or Infinity`, [0, -5, NAN]],
  [TYPE, 'maxPending', 'a number of timers', ['5', null]],
  [RANGE, 'maxPending', 'a whole number from 1, or Infinity', [0, -1, 1.5, NAN, 2 ** 53]],
  [TYPE, 'asyncContext', 'a boolean', [1]],
  [TYPE, 'name', 'a string', [1, null]],
  [TYPE, 'measure', 'a boolean', [1, null]],
  [VALUE, 'driver', 'one of host, worker, manual', ['loop']],
]
const NO_NUMBER = ['5', null, 5n, {}, Symbol('no number')]
const OF_MAPS: Wrong[] = [
  [TYPE, 'ttl', MS, NO_NUMBER],
  [RANGE, 'ttl', `${FINITE}, or Infinity`, [-5, NAN, -INFINITY, 2 ** 53]],
  [TYPE, 'max', 'a number of entries', NO_NUMBER],
  [RANGE, 'max', 'a whole number from 1, or Infinity', [0, -1, 1.5, NAN, 2 ** 53]],
  [TYPE, 'refreshOnGet', 'a boolean', [1, 'yes', null]],
  [TYPE, 'onExpire', 'a function', [1, 'yes', null]],
  [TYPE, 'dispose', 'a function', [1, 'yes', null, {}]],
  [TYPE, 'wheel', 'a TimerWheel of this entry of the package', [1, 'yes', null, {}, new Proxy({}, {})]],
]

const eachValueOf = (wrong: Wrong[]) =>
  wrong.flatMap(([code, option, what, values]) => values.map((value) => [option, value, what, code] as const))

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

onEachBackend((backend) => {
  const { TimerWheel } = backend

  const NO_NUMBERS: [given: unknown, got: string][] = [
    [undefined, 'undefined'],
    ['10', '"10"'],
    [null, 'null'],
    [10n, '10n'],
    [{ valueOf: (): number => 10 }, 'an object'],
    ['x'.repeat(100), `"${'x'.repeat(25)}..."`],
  ]
  const NO_DELAYS = [NAN, INFINITY, -1, -0.001, 2 ** 53].map((ms): [number, string] => [ms, `${ms}`])

  it('refuses an object with a delay in place of the delay, unless a wheel takes it', () => {
    const { setTimeout, setInterval, setLongTimeout, clearTimeout } = backend
    const timeout = setTimeout(ignore, 60_000)
    const before = backend.stats().pending
    const options = { delay: 5000 } as never
    const calls = [
      () => setTimeout(ignore, options),
      () => setInterval(ignore, options),
      () => setLongTimeout(ignore, options),
      () => timeout.refresh(options),
    ]
    const message = 'delay must be a number of milliseconds (a TimerWheel takes options), got an object'
    for (const call of calls) expectRefusal(call, TYPE, message)
    expect([backend.stats().pending, timeout.pending]).toEqual([before, true])
    clearTimeout(timeout)
  })

  it.each([...NO_NUMBERS, ...NO_DELAYS])('refuses the delay %p', (given, got) => {
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
    const isNumber = typeof given === 'number'
    const what = isNumber ? FINITE : MS
    for (const call of calls) {
      expectRefusal(call, isNumber ? RANGE : TYPE, `delay must be ${what}, got ${got}`)
    }
    expect([group.delay, wheel.pending]).toEqual([10, 3])
    wheel.advance(9)
    expect([ran, signal.aborted]).toEqual([[], false])
    wheel.advance(1)
    expect([ran, signal.aborted]).toEqual([['id', 'member'], true])
  })

  it.each(NO_NUMBERS)('refuses the id and the member %p', (id, got) => {
    const wheel = manualWheel(backend)
    const group = wheel.group(ignore, 10)
    for (const call of ['touch', 'has', 'delete'] as const) {
      const message = `member must be a number that add() returned, got ${got}`
      expectRefusal(() => group[call](id as never), TYPE, message)
    }
    const message = `id must be a number that schedule() returned, got ${got}`
    expectRefusal(() => wheel.cancel(id as never), TYPE, message)
    expectRefusal(() => wheel.reschedule(id as never, 1), TYPE, message)
  })

  it.each(eachValueOf(OF_WHEELS))('refuses the option %s of a wheel: %p', (option, value, what, code) => {
    const message = `${option} must be ${what}, got ${shown(value)}`
    expectRefusal(() => new TimerWheel({ [option]: value }), code, message)
  })

  it.each(eachValueOf(OF_MAPS))('refuses the option %s of a map: %p', (option, value, what, code) => {
    const message = `${option} must be ${what}, got ${shown(value)}`
    expectRefusal(() => new backend.TimeoutMap({ [option]: value } as never), code, message)
    if (option !== 'ttl') return
    const map = new backend.TimeoutMap({ max: 1 }).set('a', 1)
    for (const key of ['a', 'b']) expectRefusal(() => map.set(key, 2, value as never), code, message)
    expect([...map]).toEqual([['a', 1]])
  })

  it.each([
    ['tick', 0.05, 1, 2 ** 31 - 1.001, 2 ** 31 - 1],
    ['budget', INFINITY],
    ['maxPending', 1, Number.MAX_SAFE_INTEGER, INFINITY, undefined],
  ])('accepts the limits of the option %s', (option, ...values) => {
    for (const value of values) {
      const wheel = new TimerWheel({ [option]: value })
      wheel.schedule(() => {}, 1)
      expect(wheel.stop()).toHaveLength(1)
    }
  })

  it.each([
    ['advance', [-1, NAN, INFINITY, 2 ** 53], ['1', undefined]],
    ['runAll', [-1, NAN, INFINITY, 1.5], ['1']],
  ] as const)('refuses %s() by a wrong number, inside a callback, and on other wheels', (method, out, no) => {
    const wheel = manualWheel(backend)
    const real = new TimerWheel()
    const errors = [thrownBy(() => real[method](1))]
    real.stop()
    let ran = 0
    wheel.schedule(() => errors.push(thrownBy(() => wheel[method](1))), 1)
    wheel.schedule(() => ran++, 1)
    for (const given of out)
      expect(thrownBy(() => wheel[method](given))).toMatchObject({ name: 'RangeError', code: RANGE })
    for (const given of no)
      expect(thrownBy(() => wheel[method](given as never))).toMatchObject({ name: 'TypeError', code: TYPE })
    expect(wheel.pending).toBe(2)
    wheel[method](1)
    expect(ran).toBe(1)
    expect(errors).toMatchObject(Array(2).fill({ name: 'Error', code: 'ERR_WHEEL_DRIVER' }))
  })

  type Take = (given: never, wheel: Wheel) => unknown
  const takers: [call: string, known: string, valid: object, take: Take][] = [
    [
      'new TimerWheel()',
      'tick, budget, asyncContext, driver, maxPending, unref, name, measure',
      { maxPending: 5, unref: undefined },
      (given) => new TimerWheel(given),
    ],
    [
      'new TimeoutMap()',
      'ttl, max, refreshOnGet, onExpire, dispose, unref, wheel',
      { ttl: 5, max: undefined },
      (given) => new backend.TimeoutMap(given),
    ],
    ['group()', 'unref', { unref: true }, (given, wheel) => wheel.group(ignore, 10, given)],
    ['timerGroup()', 'unref', { unref: false }, (given) => backend.timerGroup(ignore, 10, given).stop()],
    ['signal()', 'unref', { unref: false }, (given, wheel) => wheel.signal(1, given).clear()],
    ['timeoutSignal()', 'unref', { unref: undefined }, (given) => backend.timeoutSignal(1, given).clear()],
  ]

  it.each(takers)('refuses wrong options of %s, and takes unusual objects', (_call, known, valid, take) => {
    const wheel = manualWheel(backend)
    const first = known.split(', ')[0]!
    const expectWrong = (options: unknown, code: string, message: string): void =>
      expectRefusal(() => take(options as never, wheel), code, message)
    expectWrong(null, TYPE, 'options must be an object, got null')
    expectWrong(5, TYPE, 'options must be an object, got 5')
    expectWrong([], TYPE, 'options must be an object, got an array')
    expectWrong(() => {}, TYPE, 'options must be an object, got function')
    expectWrong({ other: 1 }, VALUE, `unknown option "other", known: ${known}`)
    expectWrong({ [first]: undefined, Ref: 0 }, VALUE, `unknown option "Ref", known: ${known}`)
    if (known.includes('unref')) {
      expectWrong({ unref: 1 }, TYPE, 'unref must be a boolean, got 1')
      expectWrong({ unref: null }, TYPE, 'unref must be a boolean, got null')
    }
    const error = new Error('from an accessor')
    const accessor = Object.defineProperty({}, first, { enumerable: true, get: throwerOf(error) })
    expect(thrownBy(() => take(accessor as never, wheel))).toBe(error)
    const unusual = [undefined, {}, Object.freeze({ ...valid }), Object.assign(Object.create(null), valid)]
    for (const options of unusual) take(options as never, wheel)
    expect(wheel.pending).toBe(0)
  })

  it.each<[options: unknown, code: string, message: string]>([
    [undefined, TYPE, 'options must be an object, got undefined'],
    [[], TYPE, 'options must be an object, got an array'],
    [{ budget: null }, TYPE, `budget must be ${MS}, got null`],
    [{ budget: 0 }, RANGE, `budget must be ${MS} above 0, or Infinity, got 0`],
    [{ Budget: 1 }, VALUE, 'unknown option "Budget", known: KNOWN'],
  ])('refuses the options %p of configure()', (options, code, message) => {
    // A page, which has no immediates, cannot measure its shared wheel.
    const known = isForNode(backend) ? 'budget, measure' : 'budget'
    expectRefusal(() => backend.configure(options as never), code, message.replace('KNOWN', known))
  })

  const NO_FUNCTIONS = [undefined, null, 'text', 5, {}, [], 7n, Symbol('s')]
  it.each(NO_FUNCTIONS)('refuses a callback that is not a function: %p', (given) => {
    const callback = given as never
    const wheel = manualWheel(backend)
    const refused = (set: () => unknown): object => {
      const { name, message, code } = thrownBy(set) as Error & { code: unknown }
      return { name, message, code }
    }
    const message = `callback must be a function, got ${shown(given)}`
    const ours = { name: 'TypeError', message, code: TYPE }
    for (const owner of [wheel, backend]) {
      expect(refused(() => owner.setTimeout(callback, 1))).toEqual(ours)
      expect(refused(() => owner.setInterval(callback, 1))).toEqual(ours)
    }
    for (const take of [wheel.schedule, wheel.group, backend.timerGroup])
      expect(refused(() => Reflect.apply(take, wheel, [callback, 1]))).toEqual(ours)
    // Whatever the delay.
    for (const ms of [1, 2 ** 40, 2 ** 60])
      expect(refused(() => backend.setLongTimeout(callback, ms))).toEqual(ours)
    expect(wheel.pending).toBe(0)
  })
})
