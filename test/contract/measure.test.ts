/** A wheel made with `{ measure: true }` knows how late its callbacks were, and which of them took longest. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait } from './clock.js'

onEachBackend((backend) => {
  it('measures nothing by default', () => {
    const wheel = manualWheel(backend)
    wheel.schedule(() => {}, 5)
    wheel.advance(5)
    const { fired, lateness, slowest } = wheel.stats()
    expect([fired, lateness, slowest]).toEqual([1, undefined, undefined])
  })

  it('measures each callback once: of timeouts, intervals, ids and members', () => {
    const wheel = manualWheel(backend, { measure: true })
    expect(wheel.stats()).toMatchObject({ lateness: { count: 0, mean: 0, p50: 0, p99: 0, max: 0 } })
    expect(wheel.stats().slowest).toBeUndefined()
    const group = wheel.group(() => {}, 7)
    for (let i = 0; i < 100; i++) group.add(i)
    for (let i = 0; i < 100; i++) wheel.schedule(() => {}, i)
    const timeout = wheel.setTimeout(() => {}, 10)
    const interval = wheel.setInterval(() => {}, 10)
    wheel.advance(5)
    timeout.refresh()
    wheel.advance(2000)
    interval.close()
    const { fired, lateness } = wheel.stats()
    expect(fired).toBe(201 + 200)
    // In virtual time, each runs at its deadline.
    expect(lateness).toEqual({ count: fired, mean: 0, p50: 0, p99: 0, max: 0 })
  })

  it('measures the callbacks of maps, and names the slowest callback', () => {
    const wheel = manualWheel(backend, { measure: true, tick: 4 })
    const map = new backend.TimeoutMap<string, number>({
      ttl: 10,
      wheel,
      onExpire: function gone(_value, key) {
        if (key === 'b') busyWait(8)
      },
    })
    map.set('a', 1).set('b', 2).set('c', 3, 30)
    new backend.TimeoutMap({ ttl: 10, wheel }).set('d', 4)
    wheel.setTimeout(function quick() {}, 1)
    wheel.advance(100)
    const { slowest, ...rest } = wheel.stats()
    expect(rest).toMatchObject({ fired: 4, lateness: { count: 4, max: 0 } })
    expect(slowest?.duration).toBeGreaterThanOrEqual(8)
    wheel.schedule(function slower() {
      busyWait(2 * slowest!.duration)
    }, 1)
    wheel.advance(4)
    // Neither stats() nor its caller changes what was measured.
    wheel.stats().slowest!.name = 'changed'
    expect([slowest?.name, wheel.stats().slowest?.name]).toEqual(['gone', 'slower'])
  })
})
