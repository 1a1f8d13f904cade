/** `withTimeout` gives a promise a deadline, and lets go of its timer and of its signal in every case. */
import { expect, it } from '@jest/globals'
import { type Backend, onEachBackend } from './backends.js'
import { now } from './clock.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'
const LONG = 100_000

/** A signal that counts its listeners. */
class CountingSignal {
  aborted = false
  reason: unknown
  readonly listeners = new Set<() => void>()

  addEventListener(type: string, listener: () => void): void {
    if (type === 'abort') this.listeners.add(listener)
  }
  removeEventListener(type: string, listener: () => void): void {
    if (type === 'abort') this.listeners.delete(listener)
  }
  abort(reason: unknown): void {
    this.aborted = true
    this.reason = reason
    for (const listener of [...this.listeners]) listener()
  }
}

const errorOf = (promise: Promise<unknown>): Promise<Error & { code?: unknown }> =>
  promise.then(
    () => Promise.reject(new Error('it was fulfilled')),
    (error) => error,
  )

const never = (): Promise<never> => new Promise(() => {})

onEachBackend((backend: Backend) => {
  const { withTimeout, TimerWheel } = backend

  it('passes the value on, with its identity, and the rejection', async () => {
    const value = { some: 'object' }
    expect(await withTimeout(Promise.resolve(value), LONG)).toBe(value)
    const error = new Error('own')
    expect(await errorOf(withTimeout(Promise.reject(error), LONG))).toBe(error)
    expect(await errorOf(withTimeout(Promise.reject(undefined), LONG))).toBeUndefined()
    expect(await withTimeout(new Promise((resolve) => setTimeout(resolve, 2, 'late')), LONG)).toBe('late')
  })

  it('takes values and objects with a method then, as await does', async () => {
    expect(await withTimeout(7, LONG)).toBe(7)
    expect(await withTimeout(undefined, LONG)).toBeUndefined()
    // biome-ignore-start lint/suspicious/noThenProperty: the subject of the test
    const fulfilled = { then: (resolve: (value: string) => void) => resolve('then') }
    expect(await withTimeout(fulfilled, LONG)).toBe('then')
    const error = new Error('then')
    const rejected = { then: (_: unknown, reject: (error: Error) => void) => reject(error) }
    expect(await errorOf(withTimeout(rejected, LONG))).toBe(error)
    const throwing = {
      get then(): never {
        throw error
      },
    }
    // biome-ignore-end lint/suspicious/noThenProperty: see above
    expect(await errorOf(withTimeout(throwing, LONG))).toBe(error)
    class Special extends Promise<string> {}
    const promise = withTimeout(Special.resolve('special'), LONG)
    expect(Object.getPrototypeOf(promise)).toBe(Promise.prototype)
    expect(await promise).toBe('special')
  })

  it('rejects with a TimeoutError after the delay, not before', async () => {
    const started = now()
    const error = await errorOf(withTimeout(never(), 20))
    expect(now() - started).toBeGreaterThanOrEqual(20)
    expect(error).toBeInstanceOf(DOMException)
    expect(error.name).toBe('TimeoutError')
  })

  it('rejects with an AbortError whose cause is the reason, and clears its timer', async () => {
    const controller = new AbortController()
    const reason = { some: 'reason' }
    const promise = withTimeout(never(), LONG, { signal: controller.signal })
    controller.abort(reason)
    const error = await errorOf(promise)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'AbortError',
      code: 'ABORT_ERR',
      message: 'The operation was aborted',
      cause: reason,
    })
  })

  it('is ended by a signal of ours', async () => {
    const wheel = new TimerWheel({ driver: 'manual' })
    const signal = wheel.signal(5)
    const error = errorOf(withTimeout(never(), LONG, { signal }))
    wheel.advance(5)
    expect(await error).toMatchObject({ name: 'AbortError', cause: { name: 'TimeoutError' } })
  })

  it('rejects at once if the signal is aborted already, and does not start the work of a lazy promise', async () => {
    const reason = new Error('before')
    let started = 0
    const lazy = {
      // biome-ignore lint/suspicious/noThenProperty: the subject of the test
      then: () => {
        started++
      },
    }
    const signal = new CountingSignal()
    signal.abort(reason)
    expect(await errorOf(withTimeout(lazy, LONG, { signal: signal as never }))).toMatchObject({
      name: 'AbortError',
      cause: reason,
    })
    expect([started, signal.listeners.size]).toEqual([0, 0])
    const rejecting = Promise.reject(new Error('unhandled'))
    await errorOf(withTimeout(rejecting, LONG, { signal: AbortSignal.abort() }))
  })

  it('removes its listener in every case', async () => {
    const signal = new CountingSignal()
    const options = { signal: signal as never }
    await withTimeout(Promise.resolve(), LONG, options)
    await errorOf(withTimeout(Promise.reject(new Error('own')), LONG, options))
    await errorOf(withTimeout(never(), 1, options))
    expect(signal.listeners.size).toBe(0)
    const promises = [1, 2, 3].map(() => errorOf(withTimeout(never(), LONG, options)))
    expect(signal.listeners.size).toBe(3)
    signal.abort('reason')
    expect(signal.listeners.size).toBe(0)
    expect((await Promise.all(promises)).map(({ cause }) => cause)).toEqual(['reason', 'reason', 'reason'])
  })

  // In a page an unhandled rejection fails the run; for Node see test/node/signals.test.ts.
  it('handles a rejection that comes late', async () => {
    const rejects: ((error: Error) => void)[] = []
    const late = (): Promise<never> => new Promise((_, reject) => rejects.push(reject))
    await errorOf(withTimeout(late(), 1))
    const controller = new AbortController()
    const aborted = errorOf(withTimeout(late(), LONG, { signal: controller.signal }))
    controller.abort()
    await aborted
    await errorOf(withTimeout(late(), -1))
    await errorOf(withTimeout(late(), LONG, { signal: AbortSignal.abort() }))
    expect(rejects).toHaveLength(4)
    for (const reject of rejects) reject(new Error('late'))
  })

  it('serves many waits for one promise, at the same time and one after the other', async () => {
    let resolve!: (value: string) => void
    const promise = new Promise<string>((done) => {
      resolve = done
    })
    const first = [withTimeout(promise, LONG), withTimeout(promise, LONG)]
    for (let i = 0; i < 3; i++)
      expect(await errorOf(withTimeout(promise, 1))).toMatchObject({ name: 'TimeoutError' })
    const joined = [withTimeout(promise, LONG), withTimeout(promise, LONG)]
    const controller = new AbortController()
    const aborted = errorOf(withTimeout(promise, LONG, { signal: controller.signal }))
    controller.abort()
    expect(await aborted).toMatchObject({ name: 'AbortError' })
    resolve('value')
    expect(await Promise.all([...first, ...joined])).toEqual(Array(4).fill('value'))
    expect(await withTimeout(promise, 0)).toBe('value')
  })

  it('passes a rejection on to all waits for one promise', async () => {
    let reject!: (error: Error) => void
    const promise = new Promise<string>((_, fail) => {
      reject = fail
    })
    await errorOf(withTimeout(promise, 1))
    const waits = [1, 2].map(() => errorOf(withTimeout(promise, LONG)))
    const error = new Error('own')
    reject(error)
    expect(await Promise.all(waits)).toEqual([error, error])
    expect(await errorOf(withTimeout(promise, LONG))).toBe(error)
  })

  const range = 'delay must be a finite number of milliseconds from 0 to 9007199254740991, got'
  const typed = 'delay must be a number of milliseconds, got'
  it.each([
    [Number.NaN, RangeError, RANGE, `${range} NaN`],
    [Number.POSITIVE_INFINITY, RangeError, RANGE, `${range} Infinity`],
    [-1, RangeError, RANGE, `${range} -1`],
    [2 ** 53, RangeError, RANGE, `${range} 9007199254740992`],
    [undefined, TypeError, TYPE, `${typed} undefined`],
    ['10', TypeError, TYPE, `${typed} "10"`],
    [null, TypeError, TYPE, `${typed} null`],
  ])('rejects for a delay: %p', async (delay, Class, code, message) => {
    const error = await errorOf(withTimeout(Promise.reject(new Error('own')), delay as never))
    expect(error).toBeInstanceOf(Class)
    expect(error).toMatchObject({ code, message })
  })

  const every = 'every option must be one of signal, unref, got'
  it.each([
    [null, TYPE, 'options must be an object, got null'],
    [5, TYPE, 'options must be an object, got 5'],
    [[], TYPE, 'options must be an object, got an array'],
    [{ ref: false }, 'ERR_INVALID_ARG_VALUE', `${every} "ref"`],
    [{ unref: 0 }, TYPE, 'unref must be a boolean, got 0'],
    [{ signal: null }, TYPE, 'signal must be an AbortSignal, got null'],
    [{ signal: 5 }, TYPE, 'signal must be an AbortSignal, got 5'],
    [{ signal: {} }, TYPE, 'signal must be an AbortSignal, got an object'],
    [{ signal: new AbortController() }, TYPE, 'signal must be an AbortSignal, got an object'],
  ])('rejects for options: %p', async (options, code, message) => {
    const error = await errorOf(withTimeout(Promise.reject(new Error('own')), LONG, options as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code, message })
  })

  it('rejects with the error of an accessor, of a proxy and of a signal, and leaves nothing behind', async () => {
    const error = new Error('own')
    const fail = (): never => {
      throw error
    }
    const signal = new CountingSignal()
    const refusing = Object.assign(new CountingSignal(), { addEventListener: fail })
    for (const options of [
      Object.defineProperty({}, 'signal', { get: fail, enumerable: true }),
      Object.defineProperty({ signal }, 'unref', { get: fail, enumerable: true }),
      new Proxy({}, { ownKeys: fail }),
      { signal: Object.defineProperty({}, 'aborted', { get: fail }) },
      { signal: refusing },
    ]) {
      expect(await errorOf(withTimeout(never(), LONG, options as never))).toBe(error)
    }
    expect(signal.listeners.size).toBe(0)
    const constructed = Object.defineProperty(Promise.resolve(), 'constructor', { get: fail })
    expect(await errorOf(withTimeout(constructed, LONG))).toBe(error)
    expect(await withTimeout(5, LONG, Object.freeze({ unref: true, signal: undefined }))).toBe(5)
  })
})
