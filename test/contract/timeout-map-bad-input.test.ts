/** TimeoutMap refuses wrong options and arguments before anything changes. For unknown options see bad-options.test.ts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

const OUT_OF_RANGE = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' }
const WRONG_TYPE = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' }
const TOO_MUCH = [-1, Number.NaN, 2 ** 53, Number.NEGATIVE_INFINITY]
const NO_NUMBERS = ['5', null, 5n, {}, Symbol('ttl')]
const TTL = 'ttl must be a finite number of milliseconds from 0 to 9007199254740991, or Infinity'

onEachBackend((backend) => {
  const { TimeoutMap } = backend

  it.each([
    ['ttl', TOO_MUCH, OUT_OF_RANGE],
    ['ttl', NO_NUMBERS, WRONG_TYPE],
    ['max', [0, -1, 1.5, Number.NaN, 2 ** 53], OUT_OF_RANGE],
    ['max', NO_NUMBERS, WRONG_TYPE],
    ['refreshOnGet', [1, 'yes', null], WRONG_TYPE],
    ['onExpire', [1, 'yes', null], WRONG_TYPE],
    ['wheel', [1, 'yes', null, {}, new Proxy({}, {})], WRONG_TYPE],
    ['wheel', [Object.create(backend.TimerWheel.prototype)], WRONG_TYPE],
  ] as [string, unknown[], object][])('refuses wrong values of %s: %p', (name, values, error) => {
    for (const value of values) {
      expect(thrownBy(() => new TimeoutMap({ [name]: value } as never))).toMatchObject(error)
    }
  })

  it.each([
    [() => new TimeoutMap({ ttl: -5 }), `${TTL}, got -5`],
    [() => new TimeoutMap({ max: 0 }), 'max must be a whole number from 1, or Infinity, got 0'],
    [() => new TimeoutMap({ wheel: new Map() as never }), 'wheel must be a TimerWheel'],
    [() => new TimeoutMap().forEach(5 as never), 'callback must be a function, got 5'],
  ])('names the value and what is accepted: %p', (call, message) => {
    expect((thrownBy(call) as Error).message.slice(0, message.length)).toBe(message)
  })

  it('refuses an own ttl that is out of range before anything changes', () => {
    const map = new TimeoutMap({ ttl: 10, max: 1, wheel: manualWheel(backend) }).set('a', 1)
    for (const ttl of TOO_MUCH) expect(thrownBy(() => map.set('b', 2, ttl))).toMatchObject(OUT_OF_RANGE)
    for (const ttl of NO_NUMBERS)
      expect(thrownBy(() => map.set('a', 2, ttl as never))).toMatchObject(WRONG_TYPE)
    expect([...map]).toEqual([['a', 1]])
  })
})
