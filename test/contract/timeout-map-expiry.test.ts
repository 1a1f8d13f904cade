/** TimeoutMap: `onExpire`, and what it may do. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const { TimeoutMap } = backend
  const manualMap = mapsOn(backend)

  it('hides an entry that has expired before its callback ran', () => {
    const { wheel, map, expired } = manualMap({ ttl: 10 })
    map.set('key', 1)
    let seen: unknown[] = []
    // Runs in the same tick, but before the timer of the map, which was moved to its time later.
    wheel.schedule(() => {
      seen = [
        map.get('key'),
        map.peek('key'),
        map.has('key'),
        map.size,
        map.touch('key'),
        map.delete('key'),
        [...map],
      ]
      map.set('key', 2)
    }, 10)
    wheel.advance(10)
    expect(seen).toEqual([undefined, undefined, false, 0, false, false, []])
    expect(expired).toEqual([[1, 'key']])
    expect([...map]).toEqual([['key', 2]])
    wheel.advance(10)
    expect(expired).toEqual([
      [1, 'key'],
      [2, 'key'],
    ])
  })

  it('calls onExpire in the order of the deadlines, one call in each callback of the wheel', () => {
    const { wheel, map, expired } = manualMap({ ttl: 30 })
    for (let i = 0; i < 10; i++) map.set(i, i)
    map.set('early', 'early', 10).set('late', 'late', 40)
    map.touch(0)
    wheel.advance(10)
    map.touch(1)
    expect(expired).toEqual([['early', 'early']])
    wheel.advance(100)
    expect(expired.slice(1).map(([value]) => value)).toEqual(
      [0, 2, 3, 4, 5, 6, 7, 8, 9, 1, 'late'].sort((a, b) => order(a) - order(b)),
    )
    function order(value: unknown): number {
      return value === 1 || value === 'late' ? 1 : 0
    }
  })

  it('lets one onExpire of ten thousand throw: the others run', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    const map = new TimeoutMap<number, number>({
      ttl: 10,
      wheel,
      onExpire: (value) => {
        ran.push(value)
        if (value === 5000) throw new Error('at 5000')
      },
    })
    for (let i = 0; i < 10_000; i++) map.set(i, i)
    expect(thrownBy(() => wheel.advance(10))).toMatchObject({ message: 'at 5000' })
    expect(ran).toHaveLength(5001)
    expect(map.size).toBe(0)
    wheel.advance(1)
    expect(ran).toEqual(Array.from({ length: 10_000 }, (_, i) => i))
    expect(wheel.pending).toBe(0)
  })

  it('lets onExpire change the map', () => {
    const wheel = manualWheel(backend)
    const ran: unknown[] = []
    const map = new TimeoutMap<string, number>({
      ttl: 10,
      wheel,
      onExpire: (value, key) => {
        ran.push(key)
        if (key === 'a') {
          // Both are due with it: one is gone already, and the other one was added anew.
          expect([map.delete('b'), map.touch('c')]).toEqual([false, false])
          map.set('b', 20).set('d', 4, 1)
        }
        if (value === 20) map.clear()
      },
    })
    map.set('a', 1).set('b', 2).set('c', 3)
    wheel.advance(10)
    expect(ran).toEqual(['a', 'b', 'c'])
    expect([...map]).toEqual([
      ['b', 20],
      ['d', 4],
    ])
    wheel.advance(10)
    expect(ran).toEqual(['a', 'b', 'c', 'd', 'b'])
    expect([map.size, wheel.pending]).toEqual([0, 0])
  })

  it('keeps the callbacks of expired entries through clear()', () => {
    const { wheel, map, expired } = manualMap({ ttl: 10 })
    map.set('a', 1).set('b', 2).set('c', 3, 20)
    wheel.schedule(() => {
      expect(map.size).toBe(1)
      map.clear()
    }, 10)
    wheel.advance(30)
    expect(expired).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
    expect(wheel.pending).toBe(0)
  })

  it('lets two maps set entries of each other while they expire', () => {
    const wheel = manualWheel(backend)
    const other = manualWheel(backend)
    let rounds = 0
    const make = (its: typeof wheel, partner: () => Map<number, number>) =>
      new TimeoutMap<number, number>({
        ttl: 10,
        wheel: its,
        onExpire: (value, key) => {
          rounds++
          partner().set(key, value + 1)
        },
      })
    const first: Map<number, number> = make(wheel, () => second)
    const second: Map<number, number> = make(other, () => first)
    const third: Map<number, number> = make(wheel, () => fourth)
    const fourth: Map<number, number> = make(wheel, () => third)
    for (let key = 0; key < 5; key++) {
      first.set(key, 0)
      third.set(key, 0)
    }
    for (let i = 0; i < 20; i++) {
      wheel.advance(10)
      other.advance(10)
    }
    // An entry of the first pair ends on its own wheel, and then on the other one 10 ms later by that clock.
    expect([first.size + second.size, third.size + fourth.size]).toEqual([5, 5])
    expect([...third, ...fourth].map(([, value]) => value)).toEqual([20, 20, 20, 20, 20])
    expect(rounds).toBe([...first, ...second].reduce((sum, [, value]) => sum + value, 100))
  })

  it('lets onExpire stop the wheel', () => {
    const wheel = manualWheel(backend)
    const ran: unknown[] = []
    const map = new TimeoutMap<number, number>({
      ttl: 10,
      wheel,
      onExpire: (_value, key) => {
        ran.push(key)
        expect(wheel.stop()).toEqual([])
      },
    })
    map.set(1, 1).set(2, 2)
    wheel.advance(10)
    expect(ran).toEqual([1])
    expect([map.size, wheel.pending]).toEqual([0, 0])
  })
})
