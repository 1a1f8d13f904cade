/** TimeoutMap and its wheel: stopped, full, cleared, with other ticks. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const manualMap = mapsOn(backend)

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

  it.each([0.051, 0.3, 0.7, 3, 10])(
    'ends entries at their milliseconds on a wheel with a tick of %d ms',
    (tick) => {
      for (let ttl = 1; ttl < 60; ttl++) {
        const { wheel, map } = manualMap({ ttl }, manualWheel(backend, { tick }))
        map.set('a', 1)
        wheel.advance(ttl - 1)
        expect([ttl, map.has('a'), map.remaining('a')]).toEqual([ttl, true, 1])
        wheel.advance(1)
        expect([ttl, map.has('a')]).toEqual([ttl, false])
        wheel.stop()
      }
    },
  )

  it('keeps no value of an entry that expires after its wheel was stopped', () => {
    const { wheel, map, expired } = manualMap({ ttl: 10 })
    wheel.schedule(() => wheel.stop(), 10)
    map.set('a', 1).set('b', 2)
    wheel.advance(10)
    expect([map.size, map.get('a'), [...map]]).toEqual([0, undefined, []])
    expect(map.set('a', 3, Number.POSITIVE_INFINITY).size).toBe(1)
    expect(expired).toEqual([])
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
})
