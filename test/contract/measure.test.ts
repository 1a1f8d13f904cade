/** A wheel made with `{ measure: true }` knows how late its callbacks were, and which of them took longest. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'
import { busyWait } from './clock.js'

onEachBackend((backend) => {
  it('measures nothing by default', () => {
    const wheel = manualWheel(backend)
    wheel.schedule(() => {}, 5)
    wheel.advance(5)
    expect(wheel.stats().lateness).toBeUndefined()
    expect(wheel.stats().slowest).toBeUndefined()
  })

  it('measures each callback once: of timeouts, intervals, ids and members', () => {
    const wheel = manualWheel(backend, { measure: true })
    expect(wheel.stats()).toMatchObject({ lateness: { count: 0, mean: 0, p50: 0, p99: 0, max: 0 } })
    expect(wheel.stats().slowest).toBeUndefined()
    const group = wheel.group(() => {}, 7)
    for (let i = 0; i < 100; i++) group.add(i)
    for (let i = 0; i < 100; i++) wheel.schedule(() => {}, i)
    const timeout = wheel.setTimeout(() => {}, 10)
    const refreshed = wheel.setTimeout(() => {}, 10)
    const interval = wheel.setInterval(() => {}, 10)
    wheel.advance(5)
    timeout.close()
    refreshed.refresh()
    wheel.advance(2000)
    interval.close()
    const { fired, lateness } = wheel.stats()
    expect(fired).toBe(201 + 200)
    // In virtual time, each runs at its deadline.
    expect(lateness).toEqual({ count: fired, mean: 0, p50: 0, p99: 0, max: 0 })
  })

  it('measures the callbacks of maps', () => {
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
    expect(wheel.stats()).toMatchObject({
      fired: 4,
      lateness: { count: 4, max: 0 },
      slowest: { name: 'gone' },
    })
    expect(wheel.stats().slowest?.duration).toBeGreaterThanOrEqual(8)
  })

  it('names the slowest callback', () => {
    const wheel = manualWheel(backend, { measure: true })
    const slow = (): void => busyWait(8)
    wheel.schedule(function quick() {}, 1)
    wheel.setTimeout(slow, 2)
    wheel.setTimeout(function alsoQuick() {}, 3)
    wheel.advance(5)
    const { slowest } = wheel.stats()
    expect(slowest?.name).toBe('slow')
    expect(slowest?.duration).toBeGreaterThanOrEqual(8)
    // Neither stats() nor its caller changes what was measured.
    slowest!.name = 'changed'
    expect(wheel.stats().slowest?.name).toBe('slow')
  })

  it('measures a callback that throws', () => {
    const wheel = manualWheel(backend, { measure: true })
    function throwing(): void {
      busyWait(2)
      throw new Error('thrown')
    }
    wheel.setTimeout(throwing, 1)
    expect(thrownBy(() => wheel.advance(5))).toEqual(new Error('thrown'))
    expect(wheel.stats()).toMatchObject({ fired: 1, lateness: { count: 1 }, slowest: { name: 'throwing' } })
  })

  it.each([
    ['is empty', () => Object.defineProperty(() => {}, 'name', { value: '' })],
    ['is no text', () => Object.defineProperty(() => {}, 'name', { value: 5 })],
    [
      'is an accessor that throws',
      () =>
        Object.defineProperty(() => {}, 'name', {
          get() {
            throw new Error('no name')
          },
        }),
    ],
  ])('runs a callback whose name %s', (_, make) => {
    const wheel = manualWheel(backend, { measure: true })
    wheel.schedule(make(), 1)
    wheel.advance(1)
    expect(wheel.stats()).toMatchObject({ fired: 1, slowest: { name: '(anonymous)' } })
  })

  it('keeps what it has measured when it is trimmed or stopped, also by a callback', () => {
    const wheel = manualWheel(backend, { measure: true })
    wheel.schedule(() => wheel.trim(), 1)
    wheel.advance(1)
    wheel.trim()
    wheel.schedule(() => wheel.stop(), 1)
    wheel.advance(1)
    expect(wheel.stats()).toMatchObject({ fired: 2, lateness: { count: 2 } })
    wheel.stop()
    expect(wheel.stats()).toMatchObject({ fired: 2, lateness: { count: 2 } })
  })
})
