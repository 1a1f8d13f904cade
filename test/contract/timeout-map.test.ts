/** What the random programs of timeout-map-model.test.ts leave out: forEach, tags, the end of iterations, full wheels, fine ticks. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

onEachBackend((backend) => {
  const { TimeoutMap } = backend

  it('is a class like Map: callbacks, tags, frozen maps, and calls that Map refuses', () => {
    const map = new TimeoutMap<unknown, unknown>({ ttl: 1e6 }).set('x', 1)
    const object = {}
    const calls: unknown[] = []
    map.forEach(function (this: unknown, ...args) {
      calls.push([this, ...args])
    }, object)
    expect(calls).toEqual([[object, 1, 'x', map]])
    expect([String(map), Object.keys(map), ...map]).toEqual(['[object TimeoutMap]', [], ['x', 1]])
    expect(Object.freeze(map).set('frozen', 1).get('frozen')).toBe(1)
    expect(thrownBy(() => (TimeoutMap as unknown as () => void)())).toBeInstanceOf(TypeError)
    expect(thrownBy(() => Reflect.apply(new TimeoutMap().get, new Map(), [1]))).toBeInstanceOf(TypeError)
    map.clear()
  })

  it('does not close an iterator at the end of a loop, and ends it for good, as Map', () => {
    const run = (map: Map<string, number>) => {
      const keys = map.set('a', 1).set('b', 2).set('c', 3).keys()
      for (const key of keys) if (key === 'b') break
      const seen = [keys.next(), keys.next()]
      map.set('d', 4)
      return [...seen, keys.next(), keys[Symbol.iterator]() === keys]
    }
    expect(run(new TimeoutMap<string, number>())).toEqual(run(new Map()))
  })

  it('counts as one timer of its wheel, and refuses an entry if the wheel is full, also after clear() of the wheel', () => {
    const wheel = manualWheel(backend, { maxPending: 2 })
    let expired = 0
    const map = new TimeoutMap<unknown, number>({ ttl: 10, wheel, onExpire: () => expired++ })
    const ids = [wheel.schedule(() => {}, 50), wheel.schedule(() => {}, 50)]
    const expectRefused = (...calls: (() => unknown)[]): void => {
      const before = [...map]
      for (const call of calls) expect(thrownBy(call)).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
      expect([[...map], wheel.pending]).toEqual([before, 2])
    }
    expectRefused(() => map.set('a', 1))
    wheel.cancel(ids[0]!)
    for (let i = 0; i < 1000; i++) map.set(i, i)
    expect([map.size, wheel.pending, [...wheel]]).toEqual([1000, 2, [ids[1]]])
    wheel.advance(10)
    expect([map.size, wheel.pending, expired]).toEqual([0, 1, 1000])
    map.set('a', 1)
    expect(wheel.clear()).toBe(2)
    for (let i = 0; i < 2; i++) ids[i] = wheel.schedule(() => {}, 5)
    expectRefused(
      () => map.set('a', 2),
      () => map.set('b', 2),
      () => map.touch('a'),
    )
    // An entry that cannot expire needs no timer.
    map.set('forever', 3, Number.POSITIVE_INFINITY)
    expect([map.touch('forever'), [...map.keys()]]).toEqual([true, ['a', 'forever']])
    wheel.cancel(ids[0]!)
    expect([map.touch('a'), wheel.pending]).toEqual([true, 2])
  })

  it.each([0.051, 0.3, 0.7])('ends entries at their milliseconds on a wheel with a tick of %d ms', (tick) => {
    for (let ttl = 1; ttl < 60; ttl++) {
      const wheel = manualWheel(backend, { tick })
      const map = new TimeoutMap<string, number>({ ttl, wheel, onExpire: () => {} }).set('a', 1)
      wheel.advance(ttl - 1)
      expect([ttl, map.has('a'), map.remaining('a')]).toEqual([ttl, true, 1])
      wheel.advance(1)
      expect([ttl, map.has('a')]).toEqual([ttl, false])
      wheel.stop()
    }
  })
})
