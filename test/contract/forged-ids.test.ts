/** An id refers to its own timer while that is pending. Every other number refers to no timer and to no memory. */
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

/** An id is the unit, plus `GENERATION` times a part of the number of its uses, plus `USES` times the rest and a half. */
const GENERATION = 2 ** 26
const USES = 2 ** 32
/** The units of a block, and those among them that have records. */
const BLOCK = 2 ** 16
const RECORDS = 36_704

/** Returns a number that resembles an id but has another generation, block or index, or a number of any other form. */
function forgedId(random: Random, id: number): number {
  const { below } = random
  const forms = [
    id + random.pick([GENERATION, USES]) * (below(64) - 32),
    id - (id % BLOCK) + below(BLOCK),
    id + BLOCK * (below(64) - 32),
    below(2 ** 27) * GENERATION + below(2 ** 26),
    (below(4) + 1) * GENERATION + below(8) * BLOCK + below(BLOCK),
    (below(4) + 0.5) * USES + below(32) * GENERATION + below(8) * BLOCK + below(BLOCK),
    id + [0.5, USES, -USES, 2 ** 53, -2 * id][below(5)]!,
    (random() - 0.5) * 2 ** below(80),
    [0, -0, -1, -id, id / 2, Number.NaN, Number.POSITIVE_INFINITY, -Number.MAX_VALUE, 2 ** 53 - 1][below(9)]!,
  ]
  return forms[below(forms.length)]!
}

/** Tries every seventh unit. It is odd, so that it meets each word of a chunk. */
const EACH = scaled(7, 1)
const COUNT = 36_000

onEachBackend((backend) => {
  const seed = newSeed()

  it(`tells the ids of its pending timers from all other numbers; seed ${seed}`, () => {
    const random = randomFrom(seed)
    /** All ids of each wheel. False: the timer is over. */
    const given = new Map<Wheel, Map<number, boolean>>()
    let ran = 0
    const set = (wheel: Wheel, count: number, delay: number): number[] =>
      Array.from({ length: count }, () => {
        const id = wheel.schedule(() => ran++, delay)
        const ids = given.get(wheel)!
        // A page takes numbers modulo 2^32, and those of its own timers are small.
        if (ids.has(id) || !(Number.isSafeInteger(id) && id > 0 && (id | 0) < 0))
          throw new Error(`the id ${id}`)
        ids.set(id, true)
        return id
      })
    const end = (wheel: Wheel, ids: number[]): void => {
      for (const id of ids) {
        given.get(wheel)!.set(id, false)
        if (!wheel.cancel(id)) throw new Error(`${id} is unknown`)
      }
    }
    /** Returns a wheel whose timers use units again. */
    const fill = (): Wheel => {
      const wheel = manualWheel(backend)
      const ids = new Map<number, boolean>()
      given.set(wheel, ids)
      // Uses one unit again and again.
      for (let i = 0; i < 200; i++) end(wheel, set(wheel, 1, 10))
      for (const id of set(wheel, 500, 1)) ids.set(id, false)
      wheel.advance(1)
      const many = set(wheel, 6000, 10).filter((_, i) => i % 3 === 0)
      end(wheel, many)
      set(wheel, 1000, 10)
      for (let i = 0; i < 1000; i++) wheel.setTimeout(() => ran++, 10)
      return wheel
    }
    const stopped = fill()
    stopped.stop()
    const own = given.get(stopped)!
    for (const id of own.keys()) own.set(id, false)
    const wheels = [fill(), fill(), stopped]
    const ids = [...given.values()].flatMap((all) => [...all.keys()])
    const before = wheels.map(({ pending }) => pending)
    const forged = [...ids, ...ids].slice(0, scaled(8_000, 50_000)).map((id) => forgedId(random, id))
    for (const id of [...ids, ...forged]) {
      for (const wheel of wheels) {
        const isKnown = given.get(wheel)!.get(id) ?? false
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
    // So many that their entries reach into the chunks of the first block, which follow its states.
    const ids = Array.from({ length: COUNT }, () => wheel.schedule(() => {}, 50))
    const own = new Set(ids)
    const check = (unit: number, uses: number): void => {
      const id = Math.floor(uses / 32) * USES + USES / 2 + (uses % 32) * GENERATION + unit
      if (wheel.reschedule(id, 50) && !own.has(id)) throw new Error(`${id} is known`)
    }
    for (let unit = 0; unit < 5 * BLOCK; unit += EACH) for (let uses = 0; uses < 4; uses++) check(unit, uses)
    // The words of the chunks are units, and would be states: four times the number of uses, plus at most three.
    for (let unit = RECORDS; unit < RECORDS + 200; unit += EACH) {
      for (let word = 0; word < COUNT; word += 4) check(unit, word >>> 2)
    }
    const before = wheel.pending
    const cancelled = ids.filter((id) => wheel.cancel(id)).length
    expect([before, cancelled, wheel.pending]).toEqual([COUNT, COUNT, 0])
  })
})
