/** Iterating a wheel gives its pending handles and ids in the order in which they will run. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, randomFrom } from './random.js'

onEachBackend((backend) => {
  it('gives handles and ids in the order in which they will run', () => {
    const wheel = manualWheel(backend)
    const fifth = wheel.schedule(() => {}, 2 ** 45)
    const third = wheel.setInterval(() => {}, 30)
    const first = wheel.schedule((_: string) => {}, 10, 'argument')
    const second = wheel.setTimeout(() => {}, 10)
    const fourth = wheel.setTimeout(() => {}, 30)
    wheel.schedule(() => {}, 5)
    wheel.setTimeout(() => {}, 5)
    wheel.setTimeout(() => {}, 20).close()
    wheel.advance(5)
    const all = [...wheel]
    expect(all).toHaveLength(5)
    for (const [i, one] of [first, second, third, fourth, fifth].entries()) expect(all[i]).toBe(one)
    second.refresh(100)
    expect([...wheel].indexOf(second)).toBe(3)
    wheel.cancel(first)
    expect([...wheel]).toHaveLength(4)
  })

  it('gives nothing for an empty or a stopped wheel', () => {
    const wheel = manualWheel(backend)
    expect([...wheel]).toEqual([])
    wheel.schedule(() => {}, 1)
    wheel.stop()
    expect([...wheel]).toEqual([])
  })

  it('can be iterated while its timers change', () => {
    const wheel = manualWheel(backend)
    const ids = [1, 2, 3].map((ms) => wheel.schedule(() => {}, ms))
    const seen: unknown[] = []
    for (const id of wheel) {
      seen.push(id)
      for (const other of ids) wheel.cancel(other)
      wheel.schedule(() => {}, 1)
    }
    expect(seen).toEqual(ids)
    const iterator = wheel[Symbol.iterator]()
    expect(iterator[Symbol.iterator]()).toBe(iterator)
    wheel.stop()
    expect(typeof iterator.next().value).toBe('number')
  })

  it('leaves out the members of groups', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(() => {}, 10)
    for (let i = 0; i < 20; i++) group.add(i)
    const id = wheel.schedule(() => {}, 20)
    expect([...wheel]).toEqual([id])
    expect(wheel.pending).toBe(21)
  })

  it('leaves out signals', () => {
    const wheel = manualWheel(backend)
    wheel.signal(10).refresh()
    const id = wheel.schedule(() => {}, 20)
    expect([...wheel]).toEqual([id])
    expect(wheel.pending).toBe(2)
  })

  it('leaves out the timer that runs', () => {
    const wheel = manualWheel(backend)
    const seen: unknown[] = []
    const look = (): void => {
      seen.push([...wheel].length)
    }
    const interval = wheel.setInterval(look, 5)
    wheel.setTimeout(look, 5)
    wheel.schedule(look, 5)
    wheel.advance(5)
    expect(seen).toEqual([2, 2, 1])
    expect([...wheel]).toEqual([interval])
  })

  it('agrees with stop() and with the order of the runs', () => {
    const seed = newSeed()
    for (const tick of [1, 7]) {
      const program = (): { wheel: Wheel; names: Map<unknown, number>; ran: number[] } => {
        const { below } = randomFrom(seed)
        const wheel = manualWheel(backend, { tick })
        const names = new Map<unknown, number>()
        const ran: number[] = []
        for (let name = 0; name < 200; name++) {
          const delay = 1 + below(60)
          const run = (): void => {
            ran.push(name)
          }
          const timer = below(2) === 0 ? wheel.schedule(run, delay) : wheel.setTimeout(run, delay)
          names.set(timer, name)
          const other = [...names.keys()][below(names.size)]!
          if (below(4) === 0) {
            if (typeof other === 'number') wheel.reschedule(other, below(60))
            else (other as Timeout).refresh()
          }
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
      const again = program()
      const inOrder = [...again.wheel]
      const stopped = again.wheel.stop().map(({ timeout }) => timeout)
      expect(stopped).toHaveLength(inOrder.length)
      for (const [i, timeout] of stopped.entries()) {
        if (timeout !== undefined) expect(inOrder[i] === timeout).toBe(true)
      }
    }
  })
})
