/** TimeoutMap: a Map whose entries expire. */
import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import type { TimeoutMapOptions } from 'timeout-wheel'
import { manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'
import { busyWait, now } from './clock.js'

type Expired = [value: unknown, key: unknown]

onEachBackend((backend) => {
  const { TimeoutMap } = backend

  /** Makes a map in virtual time, and the list of its calls of `onExpire`. */
  function manualMap<K = unknown, V = unknown>(
    options: TimeoutMapOptions<K, V> = {},
    wheel: Wheel = manualWheel(backend),
  ) {
    const expired: Expired[] = []
    const onExpire = (value: V, key: K): unknown => expired.push([value, key])
    return { wheel, expired, map: new TimeoutMap<K, V>({ onExpire, wheel, ...options }) }
  }

  it('shows an entry until its ttl has passed, and then calls onExpire', () => {
    const { wheel, map, expired } = manualMap({ ttl: 100 })
    map.set('key', 'value')
    wheel.advance(99)
    expect(map.get('key')).toBe('value')
    expect([map.has('key'), map.size, map.remaining('key')]).toEqual([true, 1, 1])
    expect(expired).toEqual([])
    wheel.advance(1)
    expect([map.get('key'), map.has('key'), map.size, map.remaining('key')]).toEqual([
      undefined,
      false,
      0,
      undefined,
    ])
    expect(expired).toEqual([['value', 'key']])
    expect(wheel.pending).toBe(0)
  })

  it('counts the ttl anew from each set and touch, and from a get only with refreshOnGet', () => {
    for (const refreshOnGet of [false, true]) {
      const { wheel, map } = manualMap({ ttl: 100, refreshOnGet })
      map.set('set', 1).set('touched', 2).set('got', 3).set('seen', 4)
      wheel.advance(60)
      map.set('set', 5)
      expect([map.touch('touched'), map.touch('absent')]).toEqual([true, false])
      expect([map.get('got'), map.peek('seen'), map.has('seen')]).toEqual([3, 4, true])
      wheel.advance(40)
      expect([...map]).toEqual([['set', 5], ['touched', 2], ...(refreshOnGet ? [['got', 3]] : [])])
      wheel.advance(59)
      expect(map.size).toBe(refreshOnGet ? 3 : 2)
      wheel.advance(1)
      expect(map.size).toBe(0)
    }
  })

  it('takes an own ttl for an entry, longer or shorter, and a later set without one ends it', () => {
    const { wheel, map, expired } = manualMap({ ttl: 100 })
    map.set('usual', 1).set('short', 2, 10).set('long', 3, 1e12).set('never', 4, Number.POSITIVE_INFINITY)
    expect(['usual', 'short', 'long', 'never'].map((key) => map.remaining(key))).toEqual([
      100,
      10,
      1e12,
      Number.POSITIVE_INFINITY,
    ])
    wheel.advance(9)
    map.touch('short')
    map.set('long', 3, 20)
    wheel.advance(9)
    expect(map.has('short')).toBe(true)
    wheel.advance(1)
    expect(expired).toEqual([[2, 'short']])
    wheel.advance(10)
    expect(expired).toEqual([
      [2, 'short'],
      [3, 'long'],
    ])
    map.set('never', 5)
    wheel.advance(71)
    expect(expired.at(-1)).toEqual([1, 'usual'])
    wheel.advance(29)
    expect(expired.at(-1)).toEqual([5, 'never'])
    expect(map.size).toBe(0)
  })

  it('keeps entries without a ttl, and sets no timer for them', () => {
    const { wheel, map, expired } = manualMap()
    map.set('a', 1).set('b', 2, Number.POSITIVE_INFINITY)
    expect(wheel.pending).toBe(0)
    wheel.advance(2 ** 40)
    expect([...map.keys()]).toEqual(['a', 'b'])
    map.set('a', 3, 50)
    expect(wheel.pending).toBe(1)
    wheel.advance(50)
    expect(expired).toEqual([[3, 'a']])
    expect([map.size, wheel.pending]).toEqual([1, 0])
  })

  it.each([0, 0.25, 1, 1.5, 7, 8, 9, 10, 63, 64, 1000, 1023, 4095.5, 2 ** 31, 2 ** 40 + 1])(
    'ends an entry with an own ttl of %p at its time, also after a touch',
    (ttl) => {
      const { wheel, map, expired } = manualMap({ ttl: 5 })
      const most = Math.ceil(ttl)
      map.set('key', 1, ttl)
      if (most > 2) {
        wheel.advance(Math.floor(most / 2))
        map.touch('key')
      }
      wheel.advance(Math.max(most, 1) - 1)
      expect(map.has('key')).toBe(ttl > 0)
      wheel.advance(1)
      expect(map.has('key')).toBe(false)
      expect(expired).toEqual([[1, 'key']])
    },
  )

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

  it('calls onExpire for expiry only', () => {
    const { wheel, map, expired } = manualMap({ ttl: 10, max: 3 })
    map.set('deleted', 1).set('replaced', 2).set('evicted', 3)
    map.delete('deleted')
    map.set('replaced', 4).set('a', 5).set('b', 6)
    wheel.advance(5)
    map.clear()
    map.set('c', 7)
    wheel.advance(10)
    expect(expired).toEqual([[7, 'c']])
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

  it('takes no new entry that can expire after its wheel was stopped', () => {
    const { wheel, map } = manualMap({ ttl: 10 })
    map.set('a', 1)
    expect(wheel.stop()).toEqual([])
    expect([...wheel]).toEqual([])
    expect(thrownBy(() => map.set('b', 2))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    expect([...map]).toEqual([['a', 1]])
    expect(map.set('b', 2, Number.POSITIVE_INFINITY).set('a', 3).size).toBe(2)
    map.clear()
    expect(map.size).toBe(0)
    const never = manualMap({ ttl: 10 })
    never.wheel.stop()
    expect(thrownBy(() => never.map.set('b', 2))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    expect(never.map.size).toBe(0)
  })

  it('counts as one timer of its wheel, and refuses an entry if the wheel is full', () => {
    const wheel = manualWheel(backend, { maxPending: 2 })
    const { map, expired } = manualMap({ ttl: 10 }, wheel)
    const ids = [wheel.schedule(() => {}, 50), wheel.schedule(() => {}, 50)]
    expect(thrownBy(() => map.set('a', 1))).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
    expect([map.size, wheel.pending]).toEqual([0, 2])
    wheel.cancel(ids[0]!)
    for (let i = 0; i < 1000; i++) map.set(i, i)
    expect([map.size, wheel.pending]).toEqual([1000, 2])
    expect([...wheel]).toEqual([ids[1]])
    wheel.advance(10)
    expect([map.size, wheel.pending, expired.length]).toEqual([0, 1, 1000])
  })

  it('keeps its entries when its wheel is cleared', () => {
    const { wheel, map, expired } = manualMap({ ttl: 10 })
    map.set('a', 1)
    wheel.schedule(() => {}, 5)
    expect(wheel.clear()).toBe(1)
    expect([map.size, wheel.pending]).toEqual([1, 1])
    wheel.advance(10)
    expect(expired).toEqual([[1, 'a']])
  })

  it('rounds up to the ticks of its wheel for onExpire only', () => {
    const { wheel, map, expired } = manualMap({ ttl: 15 }, manualWheel(backend, { tick: 10 }))
    map.set('a', 1)
    wheel.advance(15)
    expect(map.has('a')).toBe(false)
    expect(expired).toEqual([])
    wheel.advance(5)
    expect(expired).toEqual([[1, 'a']])
  })

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
      { options: { unref: value }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' },
      { options: { onExpire: value }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' },
      { options: { wheel: value }, name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' },
    ]),
    ...[{}, new Proxy({}, {}), Object.create(backend.TimerWheel.prototype)].map((wheel) => ({
      options: { wheel },
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
    })),
    { options: { TTL: 5 }, name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' },
    ...[5, 'text', null, [], () => {}].map((options) => ({
      options,
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
    expect(messageOf(() => new TimeoutMap({ size: 5 } as never))).toBe(
      'every option must be one of ttl, max, refreshOnGet, onExpire, unref, wheel, got "size"',
    )
    expect(messageOf(() => new TimeoutMap({ wheel: new Map() as never }))).toMatch(
      /^wheel must be a TimerWheel/,
    )
    expect(messageOf(() => new TimeoutMap().forEach(5 as never))).toMatch(
      /^callback must be a function, got 5/,
    )
  })

  it('passes on the error of an accessor, and takes frozen options and proxies', () => {
    const options = {
      get ttl(): number {
        throw new Error('accessor')
      },
    }
    expect(thrownBy(() => new TimeoutMap(options))).toMatchObject({ message: 'accessor' })
    expect(new TimeoutMap(Object.freeze({ ttl: 5, max: undefined })).size).toBe(0)
    expect(new TimeoutMap(new Proxy({ ttl: 5 }, {})).set(1, 2).size).toBe(1)
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

  it('ends entries in real time: never early, and without a call', async () => {
    const ttl = 20
    const early: number[] = []
    let ended = 0
    const started: number[] = []
    const map = new TimeoutMap<number, number>({
      onExpire: (_value, key) => {
        ended++
        if (now() - started[key]! < ttl) early.push(key)
      },
    })
    for (let i = 0; i < 500; i++) {
      started[i] = now()
      map.set(i, i, ttl)
      if (i % 100 === 50) busyWait(3)
    }
    while (ended < 500) await setImmediate()
    expect(early).toEqual([])
    expect(map.size).toBe(0)
  })

  it('reads the clock once in 64 calls', () => {
    const map = new TimeoutMap<string, number>({ ttl: 5 })
    map.set('a', 1)
    busyWait(10)
    const seen: boolean[] = []
    for (let i = 0; i < 64; i++) seen.push(map.has('a'))
    // The entry is seen while calls share a reading, and never again after that.
    expect(seen.at(-1)).toBe(false)
    expect(seen.lastIndexOf(true)).toBeLessThan(seen.indexOf(false))
  })

  it('reads the clock in each turn', async () => {
    const map = new TimeoutMap<string, number>({ ttl: 5 })
    map.set('a', 1)
    busyWait(10)
    await undefined
    expect(map.set('b', 2).has('b')).toBe(true)
    // Another microtask, after a reading at the end of the turn: the ttl counts from there at the latest.
    busyWait(10)
    await undefined
    expect(map.has('a')).toBe(false)
  })

  it('holds no more than its entries after a million rounds', () => {
    const real = new TimeoutMap<number, object>({ ttl: 1e6 })
    for (let i = 0; i < 1e6; i++) {
      real.set(i, {})
      real.delete(i)
    }
    expect([real.size, [...real].length]).toEqual([0, 0])
    const { wheel, map } = manualMap<number, object>({ ttl: 1000, onExpire: undefined })
    for (let i = 0; i < 1e5; i++) {
      map.set(i % 100, {})
      if (i % 1000 === 0) wheel.advance(1)
    }
    expect(map.size).toBe(100)
    wheel.advance(1000)
    expect([map.size, wheel.pending]).toEqual([0, 0])
  })
})
