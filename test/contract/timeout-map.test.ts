/** What the random programs of timeout-map-model.test.ts leave out: full wheels, fine ticks, and the real clock. */
import { setImmediate } from 'node:timers/promises'
import { expectRefusal, manualWheel, onEachBackend, TYPE, thrownBy } from './backends.js'
import { busyWait, now } from './clock.js'

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
    expectRefusal(() => map.forEach(5 as never), TYPE, 'callback must be a function, got 5')
    expect(thrownBy(() => (TimeoutMap as unknown as () => void)())).toBeInstanceOf(TypeError)
    expect(thrownBy(() => Reflect.apply(new TimeoutMap().get, new Map(), [1]))).toBeInstanceOf(TypeError)
    map.clear()
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
    expect([map.size, wheel.pending, wheel.pendingTimers().length]).toEqual([1000, 2, 1])
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

  it('calls onExpire in the order of the deadlines within a tick', () => {
    const wheel = manualWheel(backend, { tick: 10 })
    const ran: number[] = []
    const map = new TimeoutMap<number, number>({ ttl: 15, wheel, onExpire: (value) => ran.push(value) })
    for (let i = 0; i < 8; i++) {
      map.set(i, i)
      wheel.advance(1)
    }
    wheel.advance(30)
    expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
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

  it('ends entries in real time: never early, and without a call', async () => {
    const ttl = 20
    const passed: number[] = []
    const map = new TimeoutMap<number, number>({ onExpire: (started) => passed.push(now() - started) })
    for (let i = 0; i < 500; i++) {
      map.set(i, now(), ttl)
      if (i % 100 === 50) busyWait(3)
    }
    while (passed.length < 500) await setImmediate()
    expect(Math.min(...passed)).toBeGreaterThanOrEqual(ttl)
    expect(map.size).toBe(0)
  })

  it('reads the clock once in 64 calls, in clear(), and in each turn', async () => {
    const map = new TimeoutMap<string, number>({ ttl: 5 }).set('a', 1)
    busyWait(10)
    const seen = Array.from({ length: 64 }, () => map.has('a'))
    // The entry is seen while calls share a reading, and never again after that.
    expect(seen.at(-1)).toBe(false)
    expect(seen.lastIndexOf(true)).toBeLessThan(seen.indexOf(false))
    map.set('b', 2)
    busyWait(10)
    await undefined
    expect(map.set('c', 3).has('c')).toBe(true)
    let ended = 0
    const cleared = new TimeoutMap({ ttl: 5, onExpire: () => ended++ }).set('d', 4)
    // Another microtask, after a reading at the end of the turn: the ttl counts from there at the latest.
    busyWait(10)
    cleared.clear()
    await undefined
    for (let turn = 0; turn < 100 && ended === 0; turn++) await setImmediate()
    expect([map.has('b'), ended]).toEqual([false, 1])
  })

  it.each(['clear', 'stop'] as const)('disposes of values in a microtask after %s()', async (end) => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const dispose = (_value: number, key: string, reason: string): unknown => ran.push(`${key} ${reason}`)
    const map = new TimeoutMap<string, number>({ wheel, onExpire: () => ran.push('told'), dispose })
    // A ttl of 0 has passed at the next call, and before the timer is due.
    expect(map.set('a', 1, 0).has('a')).toBe(false)
    wheel[end]()
    expect(ran).toEqual([])
    await undefined
    expect(ran).toEqual(['a expire'])
  })
})
