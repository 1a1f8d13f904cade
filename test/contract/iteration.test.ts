/** Iterating a wheel gives its pending handles and ids in the order in which they will run: see model.test.ts. */
import { expect, it } from '@jest/globals'
import { ignore, manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('can be iterated while its timers change, and after stop()', () => {
    const wheel = manualWheel(backend)
    const ids = [1, 2, 3].map((ms) => wheel.schedule(ignore, ms))
    const seen: unknown[] = []
    for (const id of wheel) {
      seen.push(id)
      for (const other of ids) wheel.cancel(other)
      wheel.schedule(ignore, 1)
    }
    expect(seen).toEqual(ids)
    const iterator = wheel[Symbol.iterator]()
    expect(iterator[Symbol.iterator]()).toBe(iterator)
    wheel.stop()
    expect(typeof iterator.next().value).toBe('number')
    expect([...wheel]).toEqual([])
  })

  it('leaves out members of groups, signals and the timer that runs', () => {
    const wheel = manualWheel(backend)
    expect([...wheel]).toEqual([])
    const group = wheel.group(ignore, 10)
    for (let i = 0; i < 20; i++) group.add(i)
    wheel.signal(10).refresh()
    const seen: number[] = []
    const look = (): unknown => seen.push([...wheel].length)
    const interval = wheel.setInterval(look, 5)
    wheel.setTimeout(look, 5)
    wheel.schedule(look, 5)
    expect(wheel.pending).toBe(24)
    wheel.advance(5)
    expect(seen).toEqual([2, 2, 1])
    expect([...wheel]).toEqual([interval])
  })
})
