/**
 * Every scenario runs on Node's functions of `timers/promises` and on ours on both builds: see `alike`. If lines of Node differ, a test
 * expects only that ours do the same.
 */
import * as nativeTimers from 'node:timers'
import { inspect, promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import * as addon from 'timeout-wheel/native'
import { aborted, alike, listenersOf, outcome, refusal, VALUES } from './promise-subjects.js'

describe('setTimeout', () => {
  it('fulfils with its value or undefined, follows a promise, and treats delays out of range as 1 ms', async () => {
    const inner = [Promise.resolve('inner'), Promise.reject(new Error('inner'))]
    const delays = [0, -5, 0.5, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY]
    const ends = await Promise.allSettled([undefined, undefined, undefined, ...inner, ...delays])
    await alike(ends, ({ setTimeout }) =>
      Promise.allSettled([
        setTimeout(),
        setTimeout(1),
        setTimeout(undefined, undefined, {}),
        ...inner.map((value) => setTimeout(1, value)),
        ...delays.map((delay) => setTimeout(delay, delay)),
      ]),
    )
  })

  it('runs in one order with callback timers', () =>
    alike(['callback 1', 'promise 1', 'callback 2', 'promise 2'], async ({ setCallback, setTimeout }) => {
      const order: string[] = []
      setCallback(() => order.push('callback 1'), 10)
      const first = setTimeout(10).then(() => order.push('promise 1'))
      setCallback(() => order.push('callback 2'), 10)
      await Promise.all([first, setTimeout(10).then(() => order.push('promise 2'))])
      return order
    }))

  it('rejects all values but numbers as a delay, before it looks at the options', async () => {
    for (const value of VALUES.filter((value) => typeof value !== 'number'))
      await alike(refusal('The "delay" argument must be of type number. Received '), ({ setTimeout }) =>
        outcome(() => setTimeout(value as number, 0, { signal: 1 as never })),
      )
  })
})

describe('setInterval', () => {
  const answer = { done: false, value: 'value' }
  const over = { done: true, value: undefined }

  it('yields what its value resolves to, again and again', () =>
    alike(['value', 'value', 'value'], async ({ setInterval }) => {
      const values: unknown[] = []
      for await (const value of setInterval(2, Promise.resolve('value'))) if (values.push(value) === 3) break
      return values
    }))

  it('yields values later that came due while no next() was called', () =>
    alike([true, true], async ({ setInterval, setTimeout }) => {
      const iterator = setInterval(5, 'value')
      await iterator.next()
      await setTimeout(100)
      // All within one turn of the event loop, so none of them can be a new one.
      let backlog = 0
      let turned = false
      nativeTimers.setImmediate(() => {
        turned = true
      })
      for (; !turned; backlog++) await iterator.next()
      await iterator.return?.()
      return [backlog > 3, backlog <= 22]
    }))

  it('resolves calls of next() that were made early, in order', () =>
    alike([answer, answer, answer, over], async ({ setInterval }) => {
      const iterator = setInterval(3, 'value')
      return Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.return?.()])
    }))

  it('ends at return(), and at throw() with that error', () => {
    const error = new Error('thrown in')
    const ended = { status: 'fulfilled', value: over }
    return alike([ended, ended, { status: 'rejected', reason: error }, ended], async ({ setInterval }) => {
      const [first, second] = [setInterval(1, 'value'), setInterval(1, 'value')]
      await Promise.all([first.next(), second.next()])
      return Promise.allSettled([first.return!(), first.next(), second.throw!(error), second.next()])
    })
  })

  it('validates its arguments and starts at the first call of next()', async () => {
    const wrong = addon.promises.setInterval('1' as never)
    expect(await outcome(() => wrong.next())).toEqual(refusal('The "delay" argument'))
    await alike([0, 1, 0], async ({ setInterval }) => {
      const { signal } = new AbortController()
      const iterator = setInterval(1, 'value', { signal })
      const counts = [listenersOf(signal)]
      const next = iterator.next()
      counts.push(listenersOf(signal))
      await next
      await iterator.return?.()
      return [...counts, listenersOf(signal)]
    })
  })

  it('yields values that came due before the abort, then rejects and is over', () =>
    alike([answer, aborted('why'), true, over], async ({ setInterval, setTimeout }) => {
      const controller = new AbortController()
      const iterator = setInterval(2, 'value', { signal: controller.signal })
      await iterator.next()
      await setTimeout(20)
      controller.abort('why')
      const first = await iterator.next()
      let values = 0
      const end = await outcome(async () => {
        for await (const _ of iterator) values++
      })
      return [first, end, values < 12, await iterator.next()]
    }))
})

it("setImmediate is Node's own function, which util.promisify(setImmediate) returns too", () =>
  alike(true, ({ setImmediate }) => setImmediate === promisify(nativeTimers.setImmediate)))

describe('scheduler', () => {
  it('has a class that programs cannot construct, and refuses any other this', async () => {
    const error = { threw: expect.objectContaining({ type: 'TypeError' }) }
    await alike(error, ({ scheduler }) => outcome(() => Reflect.construct(scheduler.constructor, [])))
    for (const method of ['wait', 'yield'] as const)
      for (const self of [{}, undefined])
        await alike(error, ({ scheduler }) => outcome(() => Reflect.apply(scheduler[method], self, [])))
  })
})

it('has functions and a scheduler of the same shape as natively', () =>
  alike(expect.anything(), ({ scheduler, setImmediate, setInterval, setTimeout }) => ({
    functions: [setTimeout, setImmediate, setInterval, scheduler.wait, scheduler.yield].map((fn) => [
      fn.name,
      fn.length,
      Object.prototype.toString.call(fn),
    ]),
    scheduler: inspect(scheduler),
    methods: Object.getOwnPropertyNames(Object.getPrototypeOf(scheduler)).sort(),
    iterator: Object.prototype.toString.call(setInterval()),
  })))
