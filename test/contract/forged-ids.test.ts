/** An id refers to its own timer while that is pending. Every other number refers to no timer and to no memory. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

/** An id consists of a generation, the number of a block, and a place in it. */
const GENERATION = 2 ** 27
const BLOCK = 2 ** 13

/** Returns a number that resembles an id but has another generation, block or place, or a number of any other form. */
function forgedId(random: Random, id: number): number {
  const { below } = random
  const forms = [
    id + GENERATION * (below(64) - 32),
    id - (id % BLOCK) + below(BLOCK),
    id + BLOCK * (below(64) - 32),
    below(2 ** 26) * GENERATION + below(2 ** 14) * BLOCK + below(BLOCK),
    (below(4) + 1) * GENERATION + below(8) * BLOCK + below(BLOCK),
    id + [0.5, 2 ** 32, -(2 ** 32), 2 ** 53, -2 * id][below(5)]!,
    (random() - 0.5) * 2 ** below(80),
    [0, -0, -1, -id, id / 2, Number.NaN, Number.POSITIVE_INFINITY, -Number.MAX_VALUE, 2 ** 53 - 1][below(9)]!,
  ]
  return forms[below(forms.length)]!
}

/** Tries every seventh place. It is odd, so that it meets each place of a record's words. */
const EACH = scaled(7, 1)

onEachBackend((backend) => {
  const seed = newSeed()

  it(`tells the ids of pending timers from all other numbers; seed ${seed}`, () => {
    const random = randomFrom(seed)
    /** The wheel of the timer of each id; undefined if the timer is over. */
    const owners = new Map<number, Wheel | undefined>()
    let ran = 0
    const set = (wheel: Wheel, count: number, delay: number): number[] =>
      Array.from({ length: count }, () => {
        const id = wheel.schedule(() => ran++, delay)
        if (owners.has(id) || !(Number.isSafeInteger(id) && id > 0)) throw new Error(`the id ${id}`)
        owners.set(id, wheel)
        return id
      })
    const end = (wheel: Wheel, ids: number[]): void => {
      for (const id of ids) {
        owners.set(id, undefined)
        if (!wheel.cancel(id)) throw new Error(`${id} is unknown`)
      }
    }
    /** Ids of a wheel that uses the numbers of stopped ones. Timers fill more than a block, and use records again. */
    const fill = (): Wheel => {
      const wheel = manualWheel(backend)
      // A group claims the first number that ids have given back. It and the ids use their first place again and again.
      const group = wheel.group(() => {}, 10)
      for (let i = 0; i < 200; i++, group.clear()) if (owners.has(group.add(i))) throw new Error('an old id')
      for (let i = 0; i < 200; i++) end(wheel, set(wheel, 1, 10))
      for (const id of set(wheel, 500, 1)) owners.set(id, undefined)
      wheel.advance(1)
      const many = set(wheel, 6000, 10).filter((_, i) => i % 3 === 0)
      end(wheel, many)
      set(wheel, 1000, 10)
      for (let i = 0; i < 1000; i++) owners.set(+wheel.setTimeout(() => ran++, 10), undefined)
      return wheel
    }
    const stopped = fill()
    stopped.stop()
    for (const [id, owner] of owners) if (owner === stopped) owners.set(id, undefined)
    const wheels = [fill(), fill(), stopped]
    const ids = [...owners.keys()]
    const before = wheels.map(({ pending }) => pending)
    const forged = [...ids, ...ids].slice(0, scaled(8_000, 50_000)).map((id) => forgedId(random, id))
    for (const id of [...ids, ...forged]) {
      for (const wheel of wheels) {
        const isKnown = owners.get(id) === wheel
        if (wheel.reschedule(id, 10) !== isKnown) throw new Error(`${id} is ${isKnown ? 'not ' : ''}known`)
        if (!isKnown && wheel.cancel(id)) throw new Error(`${id} cancels a timer`)
      }
    }
    expect(wheels.map(({ pending }) => pending)).toEqual(before)
    for (const wheel of wheels) wheel.advance(9)
    expect(ran).toBe(1500)
    for (const wheel of wheels) wheel.advance(1)
    expect(ran).toBe(1500 + before[0]! + before[1]!)
  })

  it('ignores numbers that would refer to memory without records', () => {
    const wheel = manualWheel(backend)
    const ids = Array.from({ length: 300 }, (_, i) => wheel.schedule(() => {}, 1 + i))
    // Timers that the core has already taken over, and timers that still wait for that.
    wheel.advance(0)
    ids.push(...Array.from({ length: 30 }, (_, i) => wheel.schedule(() => {}, 1 + i)))
    const own = Math.floor((ids[0]! % GENERATION) / BLOCK)
    // Values that such memory may hold: small numbers, or the records of these timers, which begin after two blocks.
    const generations = [0, 2 * BLOCK].flatMap((at) => Array.from({ length: 180 }, (_, i) => at + 2 * i + 1))
    for (const number of [0, 1, 2, own, own + 1]) {
      for (let place = number * BLOCK; place < (number + 1) * BLOCK; place += EACH) {
        for (const generation of generations) {
          const id = generation * GENERATION + place
          if (wheel.reschedule(id, 50) && !ids.includes(id)) throw new Error(`${id} is known`)
        }
      }
    }
    expect([wheel.pending, ids.filter((id) => wheel.cancel(id)).length, wheel.pending]).toEqual([330, 330, 0])
  })
})
