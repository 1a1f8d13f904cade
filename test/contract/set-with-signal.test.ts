/** `setTimeout(callback, { delay, signal })` and `setInterval` of a wheel: a signal clears the timer. */
import { expect, it } from '@jest/globals'
import type { SetTimeoutOptions, Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

/** A signal that counts its listeners. */
function countedSignal(): { controller: AbortController; signal: AbortSignal; listeners: Set<unknown> } {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const { addEventListener, removeEventListener } = signal
  Object.assign(signal, {
    addEventListener(type: string, listener: never, options: never) {
      listeners.add(listener)
      addEventListener.call(signal, type, listener, options)
    },
    removeEventListener(type: string, listener: never) {
      listeners.delete(listener)
      removeEventListener.call(signal, type, listener)
    },
  })
  return { controller, signal, listeners }
}

onEachBackend((backend) => {
  const METHODS = ['setTimeout', 'setInterval'] as const

  it.each(METHODS)('clears the timer of %s when the signal is aborted', (method) => {
    for (const asyncContext of [true, false]) {
      const wheel = manualWheel(backend, { asyncContext })
      const { controller, signal, listeners } = countedSignal()
      const ran: unknown[] = []
      const handle = wheel[method]((...args: unknown[]) => ran.push(args), { delay: 100, signal }, 'a', 2)
      expect([handle.pending, handle.remaining, listeners.size]).toEqual([true, 100, 1])
      wheel.advance(99)
      controller.abort()
      expect([handle.pending, wheel.pending, listeners.size]).toEqual([false, 0, 0])
      handle.refresh()
      wheel.advance(1000)
      expect(ran).toEqual([])
    }
  })

  it('passes all arguments to the callback', () => {
    const wheel = manualWheel(backend)
    const ran: unknown[] = []
    const run = (...args: unknown[]): void => {
      ran.push(args)
    }
    const { signal } = new AbortController()
    wheel.setTimeout(run, { delay: 5, signal }, { delay: 1 }, 'b')
    wheel.setTimeout(run, { delay: 6 })
    wheel.setInterval(run, { delay: 7, signal }, 'c')
    wheel.advance(7)
    expect(ran).toEqual([[{ delay: 1 }, 'b'], [], ['c']])
  })

  it.each([
    ['has run', (wheel: Wheel) => wheel.advance(5)],
    ['is cleared', (wheel: Wheel, handle: Timeout) => wheel.clearTimeout(handle)],
    ['is closed', (_: Wheel, handle: Timeout) => handle.close()],
    ['is cleared with its wheel', (wheel: Wheel) => wheel.clear()],
    ['is stopped with its wheel', (wheel: Wheel) => wheel.stop()],
  ])('stops listening when the timer %s', (_name, end) => {
    for (const asyncContext of [true, false]) {
      const wheel = manualWheel(backend, { asyncContext })
      const { controller, signal, listeners } = countedSignal()
      const handle = wheel.setTimeout(() => {}, { delay: 5, signal })
      expect(listeners.size).toBe(1)
      end(wheel, handle)
      expect([listeners.size, wheel.pending]).toEqual([0, 0])
      expect(() => controller.abort()).not.toThrow()
    }
  })

  it('listens while an interval repeats, until it ends', () => {
    const wheel = manualWheel(backend)
    const { controller, signal, listeners } = countedSignal()
    const sizes: number[] = []
    wheel.setInterval(() => sizes.push(listeners.size), { delay: 5, signal })
    wheel.advance(12)
    expect([sizes, listeners.size]).toEqual([[1, 1], 1])
    controller.abort()
    wheel.advance(100)
    expect([sizes.length, listeners.size, wheel.pending]).toEqual([2, 0, 0])
  })

  it.each(METHODS)('ends %s when the callback itself aborts', (method) => {
    const wheel = manualWheel(backend)
    const { controller, signal, listeners } = countedSignal()
    let runs = 0
    const handle = wheel[method](
      () => {
        runs++
        controller.abort()
      },
      { delay: 5, signal },
    )
    wheel.advance(50)
    handle.refresh()
    wheel.advance(50)
    expect([runs, wheel.pending, listeners.size]).toEqual([1, 0, 0])
  })

  it('listens again when a timer that has run is refreshed', () => {
    const wheel = manualWheel(backend)
    const { controller, signal, listeners } = countedSignal()
    let runs = 0
    const handle = wheel.setTimeout(() => runs++, { delay: 5, signal })
    wheel.advance(5)
    expect(listeners.size).toBe(0)
    handle.refresh()
    expect([listeners.size, wheel.pending]).toEqual([1, 1])
    wheel.advance(5)
    expect([runs, listeners.size]).toEqual([2, 0])
    handle.refresh(7)
    controller.abort()
    expect([listeners.size, wheel.pending]).toEqual([0, 0])
  })

  it('sets no timer if the signal was aborted between the run and refresh()', () => {
    const wheel = manualWheel(backend)
    const { controller, signal, listeners } = countedSignal()
    let runs = 0
    const handle = wheel.setTimeout(() => runs++, { delay: 5, signal })
    wheel.advance(5)
    controller.abort()
    handle.refresh()
    expect([wheel.pending, listeners.size]).toEqual([0, 0])
    wheel.advance(50)
    expect(runs).toBe(1)
  })

  it.each(METHODS)('returns a cleared handle of %s if the signal is aborted already', (method) => {
    const wheel = manualWheel(backend)
    const { controller, signal, listeners } = countedSignal()
    controller.abort()
    const handle = wheel[method](() => {}, { delay: 5, signal })
    expect([handle.pending, wheel.pending, listeners.size]).toEqual([false, 0, 0])
    expect(handle.refresh().pending).toBe(false)
    wheel.clearTimeout(handle)
    expect(handle.hasRef()).toBe(true)
  })

  it('takes exact delays, up to 2^53 - 1', () => {
    const wheel = manualWheel(backend)
    const most = Number.MAX_SAFE_INTEGER
    const handles = [0, 0.25, 2.5, 2 ** 40, most].map((delay) => wheel.setTimeout(() => {}, { delay }))
    expect(handles.map(({ deadline }) => deadline)).toEqual([1, 1, 3, 2 ** 40, most])
    wheel.advance(2 ** 39)
    const far = handles[3]!
    expect(far.remaining).toBe(2 ** 39)
    far.refresh()
    far.refresh()
    expect(far.deadline).toBe(2 ** 39 + 2 ** 40)
    wheel.advance(2 ** 40 - 1)
    expect(far.pending).toBe(true)
    wheel.advance(1)
    expect(far.pending).toBe(false)
    let runs = 0
    const interval = wheel.setInterval(() => runs++, { delay: 2 ** 33 })
    wheel.advance(2 ** 34)
    interval.refresh()
    wheel.advance(2 ** 33 - 1)
    expect(runs).toBe(2)
    wheel.advance(1)
    expect(runs).toBe(3)
  })

  it('counts a refresh of an exact delay anew', () => {
    const wheel = manualWheel(backend)
    const handle = wheel.setTimeout(() => {}, { delay: 2.5 })
    wheel.advance(1)
    handle.refresh()
    expect(handle.deadline).toBe(4)
  })

  it.each([
    [{ delay: '5' }, TypeError, 'ERR_INVALID_ARG_TYPE', 'delay must be a number of milliseconds, got "5"'],
    [{ signal: new AbortController().signal }, TypeError, 'ERR_INVALID_ARG_TYPE', 'delay must be a number'],
    [{ delay: -1 }, RangeError, 'ERR_OUT_OF_RANGE', 'delay must be a finite number'],
    [{ delay: Number.NaN }, RangeError, 'ERR_OUT_OF_RANGE', 'delay must be a finite number'],
    [{ delay: 2 ** 53 }, RangeError, 'ERR_OUT_OF_RANGE', 'delay must be a finite number'],
    [
      { delay: 5, signal: null },
      TypeError,
      'ERR_INVALID_ARG_TYPE',
      'signal must be an AbortSignal, got null',
    ],
    [
      { delay: 5, signal: {} },
      TypeError,
      'ERR_INVALID_ARG_TYPE',
      'signal must be an AbortSignal, got an obj',
    ],
    [
      { delay: 5, Signal: 1 },
      TypeError,
      'ERR_INVALID_ARG_VALUE',
      'every option must be one of delay, signal, got "Signal"',
    ],
  ])('refuses the options %p', (options, Class, code, message) => {
    const wheel = manualWheel(backend)
    for (const method of METHODS) {
      const error = thrownBy(() => wheel[method](() => {}, options as never))
      expect(error).toBeInstanceOf(Class)
      expect(error).toMatchObject({ code })
      expect((error as Error).message.startsWith(message)).toBe(true)
    }
    expect(wheel.pending).toBe(0)
  })

  it('leaves no timer behind if an accessor or a method of the signal throws', () => {
    const wheel = manualWheel(backend)
    const fail = (): never => {
      throw new SyntaxError('expected')
    }
    const signals = [
      { aborted: false, addEventListener: fail, removeEventListener() {} },
      {
        get aborted(): boolean {
          return fail()
        },
        addEventListener() {},
        removeEventListener() {},
      },
    ]
    const options: SetTimeoutOptions[] = signals.map((signal) => ({ delay: 5, signal: signal as never }))
    options.push(
      {
        get delay() {
          return fail()
        },
      },
      {
        delay: 5,
        get signal() {
          return fail()
        },
      },
    )
    for (const one of options) {
      expect(() => wheel.setTimeout(() => {}, one)).toThrow(SyntaxError)
      expect(wheel.pending).toBe(0)
    }
  })

  it('takes frozen options and proxies', () => {
    const wheel = manualWheel(backend)
    wheel.setTimeout(() => {}, Object.freeze({ delay: 5, signal: undefined }))
    wheel.setTimeout(() => {}, new Proxy({ delay: 5 }, {}))
    expect(wheel.pending).toBe(2)
  })

  it.each(METHODS)(
    'refuses a timer of %s on a full or stopped wheel if the signal is aborted already',
    (method) => {
      const wheel = manualWheel(backend, { maxPending: 1 })
      wheel.schedule(() => {}, 5)
      const set = () => wheel[method](() => {}, { delay: 5, signal: AbortSignal.abort() })
      expect(thrownBy(set)).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
      expect(wheel.stop()).toHaveLength(1)
      expect(thrownBy(set)).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    },
  )

  it('refuses a timer beyond maxPending before it listens', () => {
    const wheel = manualWheel(backend, { maxPending: 1 })
    wheel.schedule(() => {}, 1)
    const { signal, listeners } = countedSignal()
    expect(thrownBy(() => wheel.setTimeout(() => {}, { delay: 5, signal }))).toMatchObject({
      code: 'ERR_WHEEL_LIMIT',
    })
    expect(listeners.size).toBe(0)
  })

  it('coerces an object without these options, as a delay', () => {
    const wheel = manualWheel(backend)
    const handle = wheel.setTimeout(() => {}, new Date(50) as never)
    expect(handle.remaining).toBe(50)
    expect(wheel.setTimeout(() => {}, null as never).remaining).toBe(1)
  })

  it('leaves no listener behind after many timers on one signal', () => {
    const wheel = manualWheel(backend)
    const { signal, listeners } = countedSignal()
    for (let i = 0; i < 20_000; i++) {
      const handle = wheel.setTimeout(() => {}, { delay: 1, signal })
      if (i % 2 === 0) handle.close()
      else wheel.advance(1)
    }
    expect([listeners.size, wheel.pending]).toEqual([0, 0])
  })
})
