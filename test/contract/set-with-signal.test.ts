/** `setTimeout(callback, { delay, signal })` and `setInterval` of a wheel. In the programs of model.test.ts, signals clear timers. */
import { expect, it } from '@jest/globals'
import { ignore, manualWheel, onEachBackend, RANGE, throwerOf, thrownBy } from './backends.js'
import { countedSignal } from './counted-signal.js'

const METHODS = ['setTimeout', 'setInterval'] as const

onEachBackend((backend) => {
  it('passes all arguments to the callback', () => {
    const wheel = manualWheel(backend)
    const ran: unknown[] = []
    const run = (...args: unknown[]): unknown => ran.push(args)
    const { signal } = new AbortController()
    wheel.setTimeout(run, { delay: 5, signal }, { delay: 1 }, 'b')
    wheel.setTimeout(run, { delay: 6 })
    wheel.setInterval(run, { delay: 7, signal }, 'c')
    wheel.advance(7)
    expect(ran).toEqual([[{ delay: 1 }, 'b'], [], ['c']])
  })

  it.each([
    ['setTimeout', {}],
    ['setInterval', {}],
    ['setInterval', { drift: false }],
  ] as const)('returns a cleared handle of %s(%p) if the signal is aborted already', (method, more) => {
    const wheel = manualWheel(backend)
    const { controller, signal, listeners } = countedSignal()
    controller.abort()
    const handle = wheel[method](ignore, { delay: 5, signal, ...more })
    expect([handle.pending, wheel.pending, listeners.size]).toEqual([false, 0, 0])
    expect(handle.refresh().pending).toBe(false)
    wheel.clearTimeout(handle)
    expect(handle.hasRef()).toBe(true)
    const later = new AbortController()
    const hasRun = wheel.setTimeout(ignore, { delay: 5, signal: later.signal })
    wheel.advance(5)
    later.abort()
    expect([hasRun.refresh().pending, hasRun.refresh(7).pending, wheel.pending]).toEqual([false, false, 0])
  })

  // For other exact delays see the programs of model.test.ts.
  it('keeps a fraction of the delay, and takes one of 2^53 - 1', () => {
    const wheel = manualWheel(backend)
    const [fraction, most] = [2.5, Number.MAX_SAFE_INTEGER].map((delay) =>
      wheel.setTimeout(ignore, { delay }),
    )
    expect([fraction!.deadline, most!.deadline]).toEqual([3, Number.MAX_SAFE_INTEGER])
    wheel.advance(1)
    expect(fraction!.refresh().refresh().deadline).toBe(4)
  })

  it.each<[object, 'TYPE' | 'VALUE', string, (readonly (typeof METHODS)[number][])?]>([
    [{ delay: '5' }, 'TYPE', 'delay must be a number of milliseconds, got "5"'],
    [{ signal: new AbortController().signal }, 'TYPE', 'delay must be a number'],
    [{ delay: 5, signal: null }, 'TYPE', 'signal must be an AbortSignal, got null'],
    [{ delay: 5, signal: {} }, 'TYPE', 'signal must be an AbortSignal, got an obj'],
    [{ delay: 5, Signal: 1 }, 'VALUE', 'every option must be one of delay, signal(, drift)?, got "Signal"'],
    [
      { delay: 5, drift: false },
      'VALUE',
      'every option must be one of delay, signal, got "drift"',
      ['setTimeout'],
    ],
    [{ drift: false }, 'TYPE', 'delay must be a number', ['setInterval']],
    [{ delay: 5, drift: 0 }, 'TYPE', 'drift must be a boolean, got 0', ['setInterval']],
    [{ delay: 5, drift: null }, 'TYPE', 'drift must be a boolean, got null', ['setInterval']],
    [{ delay: 5, drift: 'no' }, 'TYPE', 'drift must be a boolean, got "no"', ['setInterval']],
  ])('refuses the options %p', (options, kind, text, methods = METHODS) => {
    const wheel = manualWheel(backend)
    const [code, message] = [`ERR_INVALID_ARG_${kind}`, expect.stringMatching(`^${text}`)]
    for (const method of methods) {
      const error = thrownBy(() => wheel[method](ignore, options as never))
      expect(error).toMatchObject({ name: 'TypeError', code, message })
    }
    expect(thrownBy(() => wheel.setTimeout(ignore, { delay: -1 }))).toMatchObject({ code: RANGE })
    expect(wheel.pending).toBe(0)
  })

  it('leaves no timer behind if an accessor or a method of the signal throws', () => {
    const wheel = manualWheel(backend)
    const get = throwerOf(new SyntaxError('expected'))
    const signal = { aborted: false, addEventListener: get, removeEventListener() {} }
    for (const options of [
      { delay: 5, signal },
      { delay: 5, signal: Object.defineProperty({ ...signal }, 'aborted', { get }) },
      Object.defineProperty({}, 'delay', { get, enumerable: true }),
      Object.defineProperty({ delay: 5 }, 'signal', { get, enumerable: true }),
    ]) {
      expect(() => wheel.setTimeout(ignore, options as never)).toThrow(SyntaxError)
      expect(wheel.pending).toBe(0)
    }
  })

  it('takes frozen options and proxies, and coerces an object without these options, as a delay', () => {
    const wheel = manualWheel(backend)
    const delays = [
      Object.freeze({ delay: 5, signal: undefined }),
      new Proxy({ delay: 6 }, {}),
      new Date(50),
      null,
    ]
    expect(delays.map((delay) => wheel.setTimeout(ignore, delay as never).remaining)).toEqual([5, 6, 50, 1])
  })

  it.each(METHODS)(
    'refuses a timer of %s on a full or stopped wheel before it reads the signal',
    (method) => {
      const wheel = manualWheel(backend, { maxPending: 1 })
      wheel.schedule(ignore, 5)
      const { signal, listeners } = countedSignal()
      const set = (signal: AbortSignal) => thrownBy(() => wheel[method](ignore, { delay: 5, signal }))
      for (const one of [signal, AbortSignal.abort()])
        expect(set(one)).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
      expect(listeners.size).toBe(0)
      expect(wheel.stop()).toHaveLength(1)
      for (const one of [signal, AbortSignal.abort()])
        expect(set(one)).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    },
  )
})
