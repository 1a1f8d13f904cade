/** A wait of `withTimeout` ends once and as a whole, whatever its host, its signal and its promise throw. */
import { expect, it } from '@jest/globals'
import { withTimeoutOn } from '../../lib/common/with-timeout.js'

/** Makes a host, a signal and a promise that the test controls. @param throwing the names of their functions that throw */
function setUp(...throwing: string[]) {
  const check = (name: string): void => {
    if (throwing.includes(name)) throw new Error(name)
  }
  /** The callbacks of the pending timers. */
  const timers = new Set<() => void>()
  const withTimeout = withTimeoutOn({
    _start(callback) {
      check('start')
      timers.add(callback)
      return { _clear: () => timers.delete(callback), _refresh() {} }
    },
    _timeoutError() {
      check('timeoutError')
      return 'timeout'
    },
  })
  const expire = (): void => {
    for (const callback of timers) {
      timers.delete(callback)
      callback()
    }
  }
  const listeners = new Set<() => void>()
  const signal = {
    aborted: false,
    get reason() {
      check('reason')
      return 'why'
    },
    addEventListener(_: string, listener: () => void) {
      listeners.add(listener)
      check('addEventListener')
    },
    removeEventListener(_: string, listener: () => void) {
      check('removeEventListener')
      listeners.delete(listener)
    },
  }
  const abort = (): void => {
    signal.aborted = true
    for (const listener of listeners) listener()
  }
  let resolve!: (value: string) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<string>((...both) => {
    ;[resolve, reject] = both
  })
  const wait = () => withTimeout(promise, 1, { signal: signal as never })
  const counts = () => [timers.size, listeners.size]
  return { throwing, withTimeout, wait, counts, signal, listeners, promise, expire, abort, resolve, reject }
}

/** Returns the value of a promise that is settled by now, or its error in an array; otherwise undefined. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  let outcome: unknown
  promise.then(
    (value) => (outcome = value),
    (error) => (outcome = [error]),
  )
  for (let i = 0; i < 5; i++) await undefined
  return outcome
}

const ABORTED = expect.objectContaining({ name: 'AbortError', cause: 'why' })

/** What can end a wait, and the outcome of a wait that it ends. */
const ENDS = { resolve: 'value', reject: ['error'], expire: ['timeout'], abort: [ABORTED] }
type End = keyof typeof ENDS

it.each(['nothing', 'removeEventListener', 'timeoutError', 'reason', 'timeoutError, reason'])(
  'ends by the first end that throws nothing, and only once, if these functions throw: %s',
  async (names) => {
    const throwing = names.split(', ')
    for (const settle of ['resolve', 'reject'] as const)
      for (const order of [
        [settle, 'expire', 'abort'],
        [settle, 'abort', 'expire'],
        ['expire', settle, 'abort'],
        ['abort', settle, 'expire'],
        ['expire', 'abort', settle],
        ['abort', 'expire', settle],
      ] as End[][]) {
        const subject = setUp(...throwing)
        const wait = subject.wait()
        let expected: unknown
        for (const end of order) {
          const failure = { expire: 'timeoutError', abort: 'reason', resolve: '', reject: '' }[end]
          const fails = expected === undefined && throwing.includes(failure)
          if (fails) expect(() => subject[end]('error')).toThrow(failure)
          else subject[end](end === 'resolve' ? 'value' : 'error')
          if (!fails) expected ??= ENDS[end]
          expect([order, await outcomeOf(wait)]).toEqual([order, expected])
          const left = throwing.includes('removeEventListener') ? 1 : 0
          if (expected !== undefined) expect([order, subject.counts()]).toEqual([order, [0, left]])
        }
      }
  },
)

it.each(['start', 'addEventListener'])(
  'rejects with the error of %s, and handles a late one',
  async (name) => {
    const { throwing, wait, counts, reject } = setUp(name)
    expect(await outcomeOf(wait())).toEqual([new Error(name)])
    expect(counts()).toEqual([0, 0])
    reject('late')
    throwing.pop()
    expect(await outcomeOf(wait())).toEqual(['late'])
  },
)

it('takes the abort over the timeout if the signal is aborted while the wait begins', async () => {
  const { signal, listeners, abort, wait, counts } = setUp()
  signal.addEventListener = (_, listener) => {
    listeners.add(listener)
    abort()
  }
  expect([await outcomeOf(wait()), counts()]).toEqual([[ABORTED], [0, 0]])
})

it.each(['resolve', 'reject'] as const)('asks a promise once for all waits, until %s', async (end) => {
  const { throwing, withTimeout, wait, promise, expire, counts, ...ends } = setUp()
  let reactions = 0
  // The constructor is read for each reaction, and once by Promise.resolve.
  Object.defineProperty(promise, 'constructor', {
    get() {
      reactions++
      return Promise
    },
  })
  for (let i = 0; i < 5; i++) {
    const gone = withTimeout(promise, 1)
    expire()
    expect(await outcomeOf(gone)).toEqual(['timeout'])
  }
  // A signal that refuses to remove its listener holds up no other wait.
  throwing.push('removeEventListener')
  const waits = [wait(), wait(), withTimeout(promise, 1)]
  expect([reactions, counts()]).toEqual([8 + 1, [3, 2]])
  const outcome = end === 'resolve' ? 'value' : ['error']
  ends[end](end === 'resolve' ? 'value' : 'error')
  expect(await Promise.all(waits.map(outcomeOf))).toEqual([outcome, outcome, outcome])
  expect(counts()).toEqual([0, 2])
  expect(await outcomeOf(withTimeout(promise, 1))).toEqual(outcome)
})
