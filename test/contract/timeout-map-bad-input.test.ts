/** TimeoutMap refuses wrong options and arguments before anything changes. */
import { expect, it } from '@jest/globals'
import { onEachBackend, thrownBy } from './backends.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const { TimeoutMap } = backend
  const manualMap = mapsOn(backend)

  const tooMuch = [-1, Number.NaN, 2 ** 53, Number.NEGATIVE_INFINITY]
  const noNumbers = ['5', null, 5n, {}, Symbol('ttl')]
  it.each([
    ...tooMuch.map((ttl) => ({ options: { ttl }, name: 'RangeError', code: 'ERR_OUT_OF_RANGE' })),
    ...noNumbers.map((ttl) => ({ options: { ttl }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' })),
    ...[0, -1, 1.5, Number.NaN, 2 ** 53].map((max) => ({
      options: { max },
      name: 'RangeError',
      code: 'ERR_OUT_OF_RANGE',
    })),
    ...noNumbers.map((max) => ({ options: { max }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' })),
    ...[1, 'yes', null].flatMap((value) => [
      { options: { refreshOnGet: value }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' },
      { options: { onExpire: value }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' },
      { options: { wheel: value }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' },
    ]),
    ...[{}, new Proxy({}, {}), Object.create(backend.TimerWheel.prototype)].map((wheel) => ({
      options: { wheel },
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
    })),
  ])('refuses the options $options with a $name', ({ options, name, code }) => {
    expect(thrownBy(() => new TimeoutMap(options as never))).toMatchObject({ name, code })
  })

  it('names the value and what is accepted', () => {
    const messageOf = (call: () => unknown) => (thrownBy(call) as Error).message
    expect(messageOf(() => new TimeoutMap({ ttl: -5 }))).toBe(
      'ttl must be a finite number of milliseconds from 0 to 9007199254740991, or Infinity, got -5',
    )
    expect(messageOf(() => new TimeoutMap({ max: 0 }))).toBe(
      'max must be a whole number from 1, or Infinity, got 0',
    )
    expect(messageOf(() => new TimeoutMap({ wheel: new Map() as never }))).toMatch(
      /^wheel must be a TimerWheel/,
    )
    expect(messageOf(() => new TimeoutMap().forEach(5 as never))).toMatch(
      /^callback must be a function, got 5/,
    )
  })

  it('refuses an own ttl that is out of range before anything changes', () => {
    const { map } = manualMap({ ttl: 10, max: 1 })
    map.set('a', 1)
    for (const ttl of tooMuch)
      expect(thrownBy(() => map.set('b', 2, ttl))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
    for (const ttl of noNumbers) {
      expect(thrownBy(() => map.set('a', 2, ttl as never))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    }
    expect([...map]).toEqual([['a', 1]])
  })
})
