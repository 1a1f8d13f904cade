/** A wait of `withTimeout` ends once and as a whole, whatever its host, its signal and its promise throw. */
import { describe, expect, it } from '@jest/globals'
import { withTimeoutOn } from '../../lib/common/with-timeout.js'

interface Timer {
  callback: () => void
  isPending: boolean
}

/** A host whose timers end when the test says so, and whose functions can throw. */
class TestHost {
  readonly timers: Timer[] = []
  /** The functions that throw. */
  readonly throwing = new Set<string>()
  readonly withTimeout = withTimeoutOn({
    _start: (callback) => {
      this.check('start')
      const timer = { callback, isPending: true }
      this.timers.push(timer)
      return {
        _clear() {
          timer.isPending = false
        },
        _refresh() {},
      }
    },
    _timeoutError: () => {
      this.check('timeoutError')
      return 'timeout'
    },
    _abortError: ({ reason }) => {
      this.check('abortError')
      return reason
    },
  })

  get pending(): number {
    return this.timers.filter(({ isPending }) => isPending).length
  }

  check(name: string): void {
    if (this.throwing.has(name)) throw new Error(name)
  }

  /** Runs the pending timers. Returns what their callbacks throw. */
  expire(): unknown[] {
    return this.timers
      .filter(({ isPending }) => isPending)
      .flatMap((timer) => {
        timer.isPending = false
        try {
          timer.callback()
          return []
        } catch (error) {
          return [error]
        }
      })
  }

  /** A signal of the program. */
  signal() {
    const listeners = new Set<() => void>()
    const signal = {
      aborted: false,
      reason: undefined as unknown,
      addEventListener: (_: string, listener: () => void) => {
        listeners.add(listener)
        this.check('addEventListener')
      },
      removeEventListener: (_: string, listener: () => void) => {
        this.check('removeEventListener')
        listeners.delete(listener)
      },
    }
    const abort = (reason: unknown): void => {
      signal.aborted = true
      signal.reason = reason
      for (const listener of [...listeners]) listener()
    }
    return { options: { signal: signal as never }, listeners, abort }
  }
}

function deferred() {
  let resolve!: (value: string) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<string>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}

/** Returns the outcome of a promise that is settled by now; otherwise undefined. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  let outcome: unknown
  promise.then(
    (value) => {
      outcome = value
    },
    (error) => {
      outcome = [error instanceof Error ? error.message : error]
    },
  )
  for (let i = 0; i < 5; i++) await undefined
  return outcome
}

describe('a signal that refuses to remove its listener', () => {
  it('holds up no other wait for the promise', async () => {
    const host = new TestHost()
    const { promise, resolve } = deferred()
    const gone = host.withTimeout(promise, 1)
    host.expire()
    expect(await outcomeOf(gone)).toEqual(['timeout'])
    host.throwing.add('removeEventListener')
    // All of them join the reaction that the first wait has left.
    const waits = [1, 2, 3].map(() => host.withTimeout(promise, 1, host.signal().options))
    expect(host.pending).toBe(3)
    resolve('value')
    expect(await Promise.all(waits.map(outcomeOf))).toEqual(['value', 'value', 'value'])
    expect(host.pending).toBe(0)
  })

  it('does not hide a timeout or an abort', async () => {
    const host = new TestHost()
    host.throwing.add('removeEventListener')
    const { options, abort } = host.signal()
    const wait = host.withTimeout(deferred().promise, 1, options)
    expect(host.expire()).toEqual([])
    expect(await outcomeOf(wait)).toEqual(['timeout'])
    const aborted = host.withTimeout(deferred().promise, 1, host.signal().options)
    const other = host.signal()
    const last = host.withTimeout(deferred().promise, 1, other.options)
    other.abort('reason')
    expect([await outcomeOf(last), await outcomeOf(aborted), host.pending]).toEqual([
      ['reason'],
      undefined,
      1,
    ])
    abort('late')
  })
})

it('rejects with the error of a wheel that takes no more timers, or of a signal that refuses its listener', async () => {
  for (const name of ['start', 'addEventListener']) {
    const host = new TestHost()
    host.throwing.add(name)
    const { promise, reject } = deferred()
    const { options, listeners } = host.signal()
    expect(await outcomeOf(host.withTimeout(promise, 1, options))).toEqual([name])
    expect([host.pending, listeners.size]).toEqual([0, 0])
    // The rejection is handled.
    reject(new Error('late'))
    host.throwing.clear()
    expect(await outcomeOf(host.withTimeout(promise, 1, options))).toEqual(['late'])
  }
})

it('ends with its promise if the error of its timeout cannot be made', async () => {
  const host = new TestHost()
  host.throwing.add('timeoutError')
  const { promise, resolve } = deferred()
  const { options, listeners } = host.signal()
  const wait = host.withTimeout(promise, 1, options)
  expect(host.expire()).toEqual([new Error('timeoutError')])
  expect(await outcomeOf(wait)).toBeUndefined()
  resolve('value')
  expect([await outcomeOf(wait), listeners.size]).toEqual(['value', 0])
})

it('ends with its timer if the error of its abort cannot be made', async () => {
  const host = new TestHost()
  host.throwing.add('abortError')
  const { options, abort, listeners } = host.signal()
  const wait = host.withTimeout(deferred().promise, 1, options)
  expect(() => abort('reason')).toThrow('abortError')
  expect([await outcomeOf(wait), host.pending]).toEqual([undefined, 1])
  host.expire()
  expect([await outcomeOf(wait), host.pending, listeners.size]).toEqual([['timeout'], 0, 0])
})

it('settles at most once, in whatever order its promise, timer and signal end', async () => {
  for (const order of ['rta', 'rat', 'tra', 'tar', 'art', 'atr']) {
    const host = new TestHost()
    const { promise, resolve } = deferred()
    const { options, abort, listeners } = host.signal()
    const wait = host.withTimeout(promise, 1, options)
    const outcomes: unknown[] = []
    for (const step of order) {
      if (step === 'r') resolve('value')
      else if (step === 't') host.expire()
      else abort('reason')
      outcomes.push(await outcomeOf(wait))
      expect([order, host.pending, listeners.size]).toEqual([order, 0, 0])
    }
    const first = { r: 'value', t: ['timeout'], a: ['reason'] }[order[0] as 'r']
    expect([order, outcomes]).toEqual([order, [first, first, first]])
  }
})

it('takes the abort over the timeout if the signal is aborted while the wait begins', async () => {
  const host = new TestHost()
  const { options, abort, listeners } = host.signal()
  const { promise } = deferred()
  const wait = host.withTimeout(promise, 1, {
    signal: new Proxy(options.signal as AbortSignal, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'addEventListener') return value
        return (type: string, listener: () => void) => {
          Reflect.apply(value as () => void, target, [type, listener])
          abort('reason')
        }
      },
    }),
  })
  expect([await outcomeOf(wait), host.pending, listeners.size]).toEqual([['reason'], 0, 0])
})

it('asks a promise once for waits that follow each other, and again after it is settled', async () => {
  const host = new TestHost()
  const { promise, resolve } = deferred()
  let reactions = 0
  // The constructor is read for each reaction, and once by Promise.resolve.
  Object.defineProperty(promise, 'constructor', {
    get() {
      reactions++
      return Promise
    },
  })
  for (let i = 0; i < 5; i++) {
    const wait = host.withTimeout(promise, 1)
    host.expire()
    expect(await outcomeOf(wait)).toEqual(['timeout'])
  }
  expect(reactions).toBe(5 + 1)
  resolve('value')
  expect(await outcomeOf(promise)).toBe('value')
  expect(await outcomeOf(host.withTimeout(promise, 1))).toBe('value')
})
