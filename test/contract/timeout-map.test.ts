/** TimeoutMap is a Map: keys, order, iteration. If there are more than `max` entries, the least recently used one goes. */
import { expect, it } from '@jest/globals'
import { onEachBackend, thrownBy } from './backends.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const { TimeoutMap } = backend
  const manualMap = mapsOn(backend)

  it('is a Map: keys, order, chaining, callbacks and tags', () => {
    const map = new TimeoutMap<unknown, unknown>({ ttl: 1e6 })
    const reference = new Map<unknown, unknown>()
    const object = {}
    for (const each of [map, reference] as Map<unknown, unknown>[]) {
      expect(each.set(Number.NaN, 'NaN').set(-0, 'zero').set(object, undefined).set('x', 1)).toBe(each)
      each.set(Number.NaN, 'again').delete('x')
      each.set('x', 2)
    }
    expect([...map]).toEqual([...reference])
    expect(Object.is([...map.keys()][1], 0)).toBe(true)
    expect([...map.keys()]).toEqual([...reference.keys()])
    expect([...map.values()]).toEqual([...reference.values()])
    expect([...map.entries()]).toEqual([...reference.entries()])
    expect([map.get(0), map.has(object), map.get(object), map.has({}), map.size]).toEqual([
      'zero',
      true,
      undefined,
      false,
      4,
    ])
    const calls: unknown[] = []
    map.forEach(function (this: unknown, ...args) {
      calls.push([this, ...args])
    }, object)
    expect(calls[0]).toEqual([object, 'again', Number.NaN, map])
    expect(calls).toHaveLength(4)
    expect(Object.prototype.toString.call(map)).toBe('[object TimeoutMap]')
    expect(Object.keys(map)).toEqual([])
    expect(map.getOrInsert('x', 3)).toBe(2)
    expect(map.getOrInsertComputed('y', (key) => `made for ${key}`)).toBe('made for y')
    expect(map.delete('y')).toBe(true)
    expect(map.delete('y')).toBe(false)
    map.clear()
    expect([map.size, ...map]).toEqual([0])
    Object.freeze(map)
    expect(map.set('frozen', 1).get('frozen')).toBe(1)
    expect(thrownBy(() => (TimeoutMap as unknown as () => void)())).toBeInstanceOf(TypeError)
    expect(thrownBy(() => Reflect.apply(new TimeoutMap().get, new Map(), [1]))).toBeInstanceOf(TypeError)
  })

  it('takes any value as a key: frozen objects, proxies, NaN, and -0 as 0', () => {
    const { wheel, map, expired } = manualMap<unknown, number>({ ttl: 10, max: 10 })
    const target = {}
    const trap = (): never => {
      throw new Error('the key was looked at')
    }
    const proxy = new Proxy(target, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })
    const keys = [Object.freeze({}), proxy, target, Number.NaN, -0, undefined, null, Symbol('key'), 10n]
    for (const [i, key] of keys.entries()) map.set(key, i)
    for (const [i, key] of keys.entries()) expect([map.get(key), map.has(key)]).toEqual([i, true])
    const made: unknown[] = []
    map.delete(0)
    map.getOrInsertComputed(-0, (key) => made.push(key))
    expect(Object.is(made[0], 0)).toBe(true)
    wheel.advance(10)
    expect(map.size).toBe(0)
    expect(expired.map(([, key]) => key === 0 && Object.is(key, -0))).toEqual(keys.map(() => false))
    expect(new Set(expired.map(([, key]) => key)).size).toBe(keys.length)
  })

  it('behaves as a Map while it is iterated', () => {
    const run = (map: Map<string, number>) => {
      const seen: unknown[] = []
      map.set('a', 1).set('b', 2).set('c', 3).set('d', 4)
      const keys = map.keys()
      for (const key of keys) {
        seen.push(key)
        if (key === 'a') map.delete('b')
        if (key === 'c') break
      }
      seen.push(keys.next())
      map.set('e', 5)
      seen.push(keys.next(), keys.next(), keys.next())
      map.set('f', 6)
      seen.push(keys.next())
      for (const [key, value] of map) {
        seen.push(key)
        if (value < 9) {
          map.delete(key)
          map.set(key, value + 5)
        }
      }
      map.forEach((value, key) => {
        seen.push(value)
        if (key === 'a') map.clear()
        if (value < 20) map.set(`${key}!`, value + 20)
      })
      return [seen, [...map]]
    }
    expect(run(new TimeoutMap<string, number>({ ttl: 1e6 }))).toEqual(run(new Map()))
  })

  it('leaves out entries that expire during an iteration', () => {
    const { wheel, map } = manualMap<string, number>({ ttl: 10, onExpire: undefined })
    map.set('a', 1).set('b', 2, 5).set('c', 3)
    const entries = map.entries()
    expect(entries.next().value).toEqual(['a', 1])
    wheel.advance(5)
    expect(entries.next().value).toEqual(['c', 3])
    map.set('d', 4)
    expect(entries.next().value).toEqual(['d', 4])
    expect(entries.next().done).toBe(true)
  })

  it('puts a key that has expired to the end when it is set again', () => {
    const { wheel, map } = manualMap({ ttl: 1000, onExpire: undefined })
    map.set('a', 1, 5).set('b', 2)
    wheel.advance(5)
    expect([...map.keys()]).toEqual(['b'])
    map.set('a', undefined)
    expect([...map]).toEqual([
      ['b', 2],
      ['a', undefined],
    ])
    wheel.advance(20_000)
    expect([map.size, wheel.pending]).toEqual([0, 0])
  })

  it('evicts the entry that was used least recently: get, set and touch are uses', () => {
    const { wheel, map } = manualMap({ ttl: 100, max: 3 })
    map.set('a', 1).set('b', 2).set('c', 3)
    map.get('a')
    map.peek('b')
    map.has('b')
    map.set('d', 4)
    expect([...map.keys()]).toEqual(['a', 'c', 'd'])
    map.touch('a')
    map.set('c', 5)
    map.set('e', 6)
    expect([...map.keys()]).toEqual(['a', 'c', 'e'])
    map.delete('c')
    map.set('f', 7).set('g', 8)
    expect([...map.keys()]).toEqual(['e', 'f', 'g'])
    wheel.advance(100)
    expect(map.size).toBe(0)
    map.set('h', 9).set('i', 10).set('j', 11).set('k', 12)
    expect([...map.keys()]).toEqual(['i', 'j', 'k'])
  })

  it('removes expired entries before it evicts others', () => {
    const { wheel, map } = manualMap({ max: 2, onExpire: undefined })
    map.set('stays', 1).set('expires', 2, 10)
    map.get('expires')
    wheel.advance(10)
    map.set('new', 3)
    expect([...map.keys()]).toEqual(['stays', 'new'])
  })
})
