/** A number that `schedule` never returned refers to no timer and to no memory. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

/** Returns a number that resembles an id but has another generation, block or part, or a number of any other form. */
function forgedId(random: Random, ids: number[][]): number {
  const of = ids[random.below(ids.length)]!
  const id = of[random.below(of.length)]!
  const step = 2 ** 27
  const block = 2 ** 13
  switch (random.below(8)) {
    case 0:
      return id + step * (random.below(64) - 32)
    case 1:
      return id - (id % block) + random.below(block)
    case 2:
      return id + block * (random.below(64) - 32)
    case 3:
      return random.below(2 ** 14) * block + random.below(block) + step * random.below(2 ** 26)
    case 4:
      return (random.below(4) + 1) * step + random.below(8) * block + random.below(block)
    case 5:
      return id + [0.5, 2 ** 32, -(2 ** 32), 2 ** 53, -2 * id][random.below(5)]!
    case 6:
      return (random() - 0.5) * 2 ** random.below(80)
    default:
      return [0, -0, -1, -id, id / 2, Number.NaN, Number.POSITIVE_INFINITY, -Number.MAX_VALUE, 2 ** 53 - 1][
        random.below(9)
      ]!
  }
}

/** Tries every seventh place. It is odd, so that it meets each place of a record's words. */
const EACH = scaled(7, 1)

onEachBackend((backend) => {
  it('ignores numbers that would refer to memory without records', () => {
    const wheel = manualWheel(backend)
    const step = 2 ** 27
    const block = 2 ** 13
    const ids = Array.from({ length: 300 }, (_, i) => wheel.schedule(() => {}, 1 + i))
    // Timers that the core has already taken over, and timers that still wait for that.
    wheel.advance(0)
    ids.push(...Array.from({ length: 30 }, (_, i) => wheel.schedule(() => {}, 1 + i)))
    const own = Math.floor((ids[0]! % step) / block)
    // Values that such memory may hold: small numbers, or the records of these timers, which begin after two blocks.
    const generations = [0, 2 * block].flatMap((from) =>
      Array.from({ length: 180 }, (_, i) => from + 2 * i + 1),
    )
    const given = new Set(ids)
    const known: string[] = []
    for (const number of [0, 1, 2, own, own + 1]) {
      for (let place = number * block; place < (number + 1) * block; place += EACH) {
        for (const generation of generations) {
          const id = generation * step + place
          if (wheel.reschedule(id, 50) && !given.has(id)) known.push(`${generation} * 2**27 + ${place}`)
        }
      }
    }
    expect(known).toEqual([])
    expect([wheel.pending, ids.filter((id) => wheel.cancel(id)).length, wheel.pending]).toEqual([330, 330, 0])
  })

  const seed = newSeed()
  it(`ignores numbers of every form that it never returned: seed ${seed}`, () => {
    const random = randomFrom(seed)
    const wheels = [manualWheel(backend), manualWheel(backend)]
    const ran = [0, 0]
    const given = new Set<number>()
    const ids = wheels.map((wheel, n) => {
      const count = () => ran[n]!++
      // The timers fill more than one block, and some records are reused, which changes their generation.
      const all = Array.from({ length: 6000 }, () => wheel.schedule(count, 10))
      for (const id of all) given.add(id)
      const pending = all.filter((id, i) => i % 3 !== 0 || !wheel.cancel(id))
      for (let i = 0; i < 1000; i++) {
        const id = wheel.schedule(count, 10)
        given.add(id)
        pending.push(id)
      }
      return pending
    })
    const before = wheels.map(({ pending }) => pending)
    for (let i = 0; i < 50_000; i++) {
      const id = forgedId(random, ids)
      const isGiven = given.has(id)
      for (const wheel of wheels) {
        if (isGiven) continue
        if (wheel.cancel(id) || wheel.reschedule(id, 5)) throw new Error(`${id} was never given`)
      }
    }
    expect(wheels.map(({ pending }) => pending)).toEqual(before)
    for (const wheel of wheels) wheel.advance(9)
    expect(ran).toEqual([0, 0])
    for (const wheel of wheels) wheel.advance(1)
    expect(ran).toEqual(before)
  })
})
