/** TimeoutMap: the entry that goes if there are more than `max`. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const manualMap = mapsOn(backend)

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

  it('evicts in the order of use however many entries there are', () => {
    const { map } = manualMap({ max: 100 })
    for (let key = 0; key < 100; key++) map.set(key, key)
    for (let key = 0; key < 100; key += 2) map.get(key)
    for (let key = 100; key < 175; key++) map.set(key, key)
    const halfOfTheEven = Array.from({ length: 25 }, (_, i) => 50 + 2 * i)
    const added = Array.from({ length: 75 }, (_, i) => 100 + i)
    expect([...map.keys()]).toEqual([...halfOfTheEven, ...added])
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
