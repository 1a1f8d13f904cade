/** Options and signals of `timers/promises`, on Node's own functions and on ours on both builds: see promises.test.ts. */
import * as nativeTimers from 'node:timers'
import { describe, expect, it } from '@jest/globals'
import {
  aborted,
  alike,
  LONG,
  listenersOf,
  type Options,
  outcome,
  type Promises,
  VALUES,
} from './promise-subjects.js'

type Call = (of: Promises, options: Options, delay?: number) => Promise<unknown>

const CALLS: [string, Call][] = [
  ['setTimeout', (of, options, delay = 1) => of.setTimeout(delay, 'value', options)],
  ['setImmediate', (of, options) => of.setImmediate('value', options)],
  [
    'setInterval',
    (of, options, delay = 1) => {
      const values = of.setInterval(delay, 'value', options)
      return values.next().finally(() => values.return?.())
    },
  ],
  ['scheduler.wait', (of, options, delay = 1) => of.scheduler.wait(delay, options)],
]

describe.each(CALLS)('%s', (name, call) => {
  /** Records all reads of options and of their signal, in order. The read number `throwAt` throws. */
  async function reads(of: Promises, values: object, throwAt?: number, delay?: unknown): Promise<unknown> {
    const log: string[] = []
    const watched = <T extends object>(name: string, target: T): T =>
      new Proxy(target, {
        get: (object, key) => {
          log.push(`${name}.${String(key)}`)
          if (log.length === throwAt) throw new Error('not read')
          const value: unknown = Reflect.get(object, key)
          return typeof value === 'function' ? value.bind(object) : value
        },
        has: (object, key) => {
          log.push(`${String(key)} in ${name}`)
          return Reflect.has(object, key)
        },
      })
    const { signal } = values as Options
    // The error message shows an invalid value, in different ways on different runtimes.
    const options = signal instanceof AbortSignal ? { ...values, signal: watched('signal', signal) } : values
    const end = await outcome(() => call(of, watched('options', options), delay as number))
    return { log, end }
  }

  it('reads its options as often and in the same order as natively, and refuses the same values', async () => {
    const { signal } = new AbortController()
    // Another timer keeps the process alive for the unreferenced one.
    const hold = nativeTimers.setInterval(() => {}, 1)
    const aborted = { ref: true, signal: AbortSignal.abort('why') }
    for (const values of [
      {},
      { ref: false },
      { signal },
      { ref: true, signal },
      { ref: 'no', signal },
      aborted,
    ])
      for (const throwAt of [undefined, 1, 2, 3, 4, 5, 6, 7, 8])
        await alike(expect.anything(), (of) => reads(of, values, throwAt))
    for (const value of VALUES) {
      await alike(expect.anything(), (of) => outcome(() => call(of, value as Options)))
      for (const values of [{ ref: value }, { ref: 1, signal: value }])
        await alike(expect.anything(), (of) => reads(of, values))
      await alike(expect.anything(), (of) => reads(of, { ref: 1, signal: 1 }, undefined, value))
    }
    nativeTimers.clearInterval(hold)
  })

  it('removes its listener once it is fulfilled, and adds none if the signal was aborted before', async () => {
    const { signal } = new AbortController()
    await alike(expect.anything(), (of) => outcome(() => call(of, { signal })))
    expect(listenersOf(signal)).toBe(0)
    for (const signal of [AbortSignal.abort(new Error('why')), AbortSignal.abort()]) {
      await alike(aborted(signal.reason), (of) => outcome(() => call(of, { signal })))
      expect(listenersOf(signal)).toBe(0)
    }
  })

  it('rejects with the reason of the signal as its cause, and has one listener until then', async () => {
    for (const reason of [new Error('why'), 'why', null])
      await alike([1, aborted(reason), 0], async (of) => {
        const controller = new AbortController()
        const { signal } = controller
        const promise = call(of, { signal }, LONG)
        const listeners = listenersOf(signal)
        controller.abort(reason)
        return [listeners, await outcome(() => promise), listenersOf(signal)]
      })
  })

  it('rejects also if another listener stopped the event', () =>
    alike(aborted('why'), async (of) => {
      const controller = new AbortController()
      controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation())
      const promise = call(of, { signal: controller.signal }, LONG)
      controller.abort('why')
      return outcome(() => promise)
    }))

  it('settles after an abort after as many microtasks as natively', () =>
    alike(expect.objectContaining({ settled: true }), async (of) => {
      const controller = new AbortController()
      let settled = false
      const settle = () => {
        settled = true
      }
      call(of, { signal: controller.signal }, LONG).then(settle, settle)
      await undefined
      controller.abort()
      let count = 0
      for (; !settled && count < 100; count++) await undefined
      return { settled, count }
    }))

  it('takes an object that only looks like a signal', () =>
    alike(
      [aborted('why'), ['add', 'abort', name === 'setInterval' || undefined], ['remove', 'abort', true]],
      async (of) => {
        const log: unknown[] = []
        let abort: () => void
        const signal = {
          aborted: false,
          reason: 'why',
          addEventListener: (type: string, listener: () => void, { once }: AddEventListenerOptions) => {
            abort = listener
            log.push(['add', type, once])
          },
          removeEventListener: (type: string, listener: () => void) =>
            log.push(['remove', type, listener === abort]),
        }
        const promise = call(of, { signal: signal as never }, LONG)
        signal.aborted = true
        abort!()
        return [await outcome(() => promise), ...log]
      },
    ))

  // Node 20 rejects, and later lines throw.
  it('rejects or throws as natively if it cannot listen to the signal', async () => {
    const addEventListener = () => {
      throw new Error('not added')
    }
    const signal = { aborted: false, addEventListener, removeEventListener: () => {} } as never
    const end = await alike(expect.anything(), (of) => outcome(() => call(of, { signal })))
    expect(JSON.stringify(end)).toContain('not added')
  })
})

it('stays fulfilled if the next timer aborts the signal, and rejects if the one before does', () =>
  alike(['value', aborted('why')], async ({ setCallback, setTimeout }) => {
    const [late, early] = [new AbortController(), new AbortController()]
    const fulfilled = setTimeout(5, 'value', { signal: late.signal })
    setCallback(() => {
      late.abort()
      early.abort('why')
    }, 5)
    const rejected = setTimeout(5, 'value', { signal: early.signal })
    return [await fulfilled, await outcome(() => rejected)]
  }))
