/** `withTimeout` gives a promise a deadline. For its timer and its memory see test/node/signals.test.ts. */
import { ABORTED, type Backend, onEachBackend, RANGE, TYPE, throwerOf, VALUE } from './backends.js'
import { now } from './clock.js'

const LONG = 100_000

/** Makes an AbortController whose signal counts its listeners. */
function countedSignal() {
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

const errorOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('it was fulfilled')),
    (error) => error,
  )

const never = (): Promise<never> => new Promise(() => {})

const reasonOf = (signal: AbortSignal): Promise<DOMException> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))

const show = (error: DOMException): unknown[] => [
  Object.getPrototypeOf(error) === DOMException.prototype,
  error.name,
  error.code,
]

onEachBackend(({ timeoutSignal, withTimeout, TimerWheel }: Backend) => {
  it('passes on what await gives, with its identity', async () => {
    const object = { some: 'object' }
    const error = new Error('own')
    class Special extends Promise<string> {}
    const values = [
      7,
      undefined,
      object,
      Promise.resolve(object),
      new Promise((resolve) => setTimeout(resolve, 2, 'late')),
      Special.resolve('special'),
      Promise.reject(error),
      Promise.reject(undefined),
      // biome-ignore-start lint/suspicious/noThenProperty: the subject of the test
      { then: (resolve: (value: object) => void) => resolve(object) },
      { then: (_: unknown, reject: (error: Error) => void) => reject(error) },
      // biome-ignore-end lint/suspicious/noThenProperty: see above
      Object.defineProperty({}, 'then', { get: throwerOf(error) }),
    ]
    const ends = Promise.allSettled(values.map((value) => withTimeout(value, LONG)))
    const expected = await Promise.allSettled(values.map(async (value) => value))
    for (const [i, end] of (await ends).entries()) {
      expect([i, end.status]).toEqual([i, expected[i]!.status])
      for (const key of ['value', 'reason'])
        expect(Reflect.get(end, key)).toBe(Reflect.get(expected[i]!, key))
    }
    expect(Object.getPrototypeOf(withTimeout(Special.resolve(''), LONG))).toBe(Promise.prototype)
  })

  it('rejects after the delay, not before, and stops listening', async () => {
    const { signal, listeners } = countedSignal()
    const started = now()
    await errorOf(withTimeout(never(), 20, { signal }))
    expect(now() - started).toBeGreaterThanOrEqual(20)
    expect(listeners.size).toBe(0)
  })

  it("has the class, name and code of the host's own timeouts, as signals have, and tells the delay", async () => {
    const native = show(await reasonOf(AbortSignal.timeout(1)))
    expect(native.slice(0, 2)).toEqual([true, 'TimeoutError'])
    const signals = [timeoutSignal(1.5), new TimerWheel().signal(LONG).refresh(1.5).refresh()]
    const errors = [...signals.map(reasonOf), errorOf(withTimeout(never(), 1.5)) as Promise<DOMException>]
    for (const error of await Promise.all(errors)) {
      expect(show(error)).toEqual(native)
      expect(String(error)).toBe('TimeoutError: timed out after 1.5 ms')
    }
  })

  it('refuses a function, which no call has made a promise of, unless it can be awaited', async () => {
    const load = async () => 1
    const message = 'promise must be a promise, not a function that returns one, got function load'
    const error = await errorOf(withTimeout(load, LONG))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: TYPE, message })
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test
    const query = Object.assign(() => {}, { then: (resolve: (value: string) => void) => resolve('rows') })
    expect(await withTimeout(query, LONG)).toBe('rows')
  })

  it('rejects with an AbortError whose cause is the reason of the signal, and stops listening', async () => {
    const { controller, signal, listeners } = countedSignal()
    const promises = [1, 2].map(() => errorOf(withTimeout(never(), LONG, { signal })))
    expect(listeners.size).toBe(2)
    const reason = { some: 'reason' }
    controller.abort(reason)
    expect(listeners.size).toBe(0)
    for (const error of await Promise.all(promises)) {
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject(ABORTED)
      expect(error.cause).toBe(reason)
    }
    const wheel = new TimerWheel({ driver: 'manual' })
    const error = errorOf(withTimeout(never(), LONG, { signal: wheel.signal(5) }))
    wheel.advance(5)
    expect(await error).toMatchObject({ name: 'AbortError', cause: { name: 'TimeoutError' } })
  })

  it('rejects at once if the signal is aborted already, and does not start the work of a lazy promise', async () => {
    let started = 0
    const then = () => started++
    const { controller, signal, listeners } = countedSignal()
    const reason = new Error('before')
    controller.abort(reason)
    const error = await errorOf(withTimeout({ then }, LONG, { signal }))
    const expected = { name: 'AbortError', cause: reason }
    expect(error).toMatchObject(expected)
    expect([started, listeners.size]).toEqual([0, 0])
    const later = new AbortController()
    const aborting = Object.defineProperty({}, 'then', { get: () => later.abort(reason) })
    expect(await errorOf(withTimeout(aborting, LONG, later))).toMatchObject(expected)
  })

  // bad-arguments.test.ts has more values.
  it.each([
    [-1, {}, RANGE, 'delay must be a finite number of milliseconds from 0 to 9007199254740991, got -1'],
    [undefined, {}, TYPE, 'delay must be a number of milliseconds, got undefined'],
    [5, null, TYPE, 'options must be an object, got null'],
    [5, [], TYPE, 'options must be an object, got an array'],
    [5, { ref: false }, VALUE, 'unknown option "ref", known: signal, unref'],
    [5, { unref: 0 }, TYPE, 'unref must be a boolean, got 0'],
    [5, { signal: null }, TYPE, 'signal must be an AbortSignal, got null'],
    [5, { signal: 5 }, TYPE, 'signal must be an AbortSignal, got 5'],
    [5, { signal: {} }, TYPE, 'signal must be an AbortSignal, got an object'],
    [5, { signal: new AbortController() }, TYPE, 'signal must be an AbortSignal, got an object'],
  ])('rejects for a delay %p and options %p', async (delay, options, code, message) => {
    const rejected = Promise.reject(new Error('own'))
    const error = await errorOf(withTimeout(rejected, delay as never, options as never))
    expect(error).toBeInstanceOf(code === RANGE ? RangeError : TypeError)
    expect(error).toMatchObject({ code, message })
  })
})
