/** Iterating a wheel gives its pending handles and ids in the order in which they will run. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { newSeed, randomFrom } from './random.js'

const ignore = (): void => {}

onEachBackend((backend) => {
  it('gives handles and ids in the order in which they will run, and in which stop() returns them', () => {
    const seed = newSeed()
    for (const tick of [1, 7]) {
      const program = () => {
        const { below } = randomFrom(seed)
        const wheel = manualWheel(backend, { tick })
        const names = new Map<unknown, number>()
        const ran: number[] = []
        for (let name = 0; name < 200; name++) {
          const delay = below(20) === 0 ? 2 ** 33 + below(60) : 1 + below(60)
          const run = (): unknown => ran.push(name)
          const other = [...names.keys()][below(names.size)] as number | Timeout | undefined
          names.set(below(2) === 0 ? wheel.schedule(run, delay) : wheel.setTimeout(run, { delay }), name)
          const choice = below(8)
          if (typeof other === 'number' && choice < 2) wheel.reschedule(other, below(60))
          else if (typeof other === 'number' && choice === 2) wheel.cancel(other)
          else if (typeof other === 'object' && choice < 2) other.refresh()
          else if (typeof other === 'object' && choice === 2) other.close()
          if (below(8) === 0) wheel.advance(below(5))
        }
        return { wheel, names, ran }
      }
      const { wheel, names, ran } = program()
      const before = ran.length
      const listed = [...wheel].map((timer) => names.get(timer))
      expect(listed).toHaveLength(wheel.pending)
      wheel.runAll()
      expect({ seed, order: listed }).toEqual({ seed, order: ran.slice(before) })
      const again = program().wheel
      const inOrder = [...again].map((timer) => (typeof timer === 'number' ? undefined : timer))
      const stopped = again.stop().map(({ timeout }) => timeout)
      expect(stopped.length === inOrder.length && stopped.every((timeout, i) => timeout === inOrder[i])).toBe(
        true,
      )
    }
  })

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
