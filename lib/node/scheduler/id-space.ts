/**
 * The ids of `schedule`: numbers that no other timer ever has, on this wheel or another.
 *
 *   id = generation * 2^27 + number of the block among those of all wheels * 2^13 + record within the block
 *
 * A wheel claims a number for each of its blocks when it first gives out an id there. When the wheel is done with it,
 * the number goes to another wheel, and its generations go on where they stood.
 *
 * A record's generation is odd while a timer with an id has it, and even otherwise, also while a handle has it: an id is
 * known by this one word.
 */
import { exhausted } from '../../common/errors.js'
import { BLOCK_SHIFT, RECORD_MASK } from '../../memory/layout.js'

const MAX_NUMBERS = 2 ** 14
/** So many have room in a wheel from the start. */
const FIRST_NUMBERS = 16
const NONE = new Int32Array(0)
export const GENERATION_STEP = 2 ** 27
/** Of an id: all but the generation. */
export const PLACE_MASK = GENERATION_STEP - 1

/** A record whose generation has come this far is not used again: its ids are used up. */
export const GENERATIONS = 2 ** 26
/**
 * Generations are noted as used by so many at a time, a power of two: it costs less than to note each. So many are lost of
 * each record when its wheel gives memory back: a wheel with a million ids may do that every ten seconds for 20 years.
 */
export const NOTED_GENERATIONS = 2 ** 6

/** The next number that was never claimed. Number 0 is nobody's: an id is never 0, which programs take for none. */
let nextNumber = 1
/** Numbers given back, each with the first generation that was not used under it. */
const released: Claim[] = []

interface Claim {
  readonly number: number
  readonly generation: number
}

/** What a wheel holds of the numbers. Apart from the wheel, so that it can be given back when the wheel is collected. */
class Held {
  readonly numbers: number[] = []
  highestGeneration = 0

  release(): void {
    const { numbers } = this
    const generation = this.highestGeneration + 1
    while (numbers.length > 0) {
      const number = numbers[numbers.length - 1]!
      numbers.length--
      if (generation < GENERATIONS) released.push({ number, generation })
    }
    this.highestGeneration = 0
  }
}

const collected = new FinalizationRegistry<Held>((held) => held.release())

export class IdSpace {
  readonly #held = new Held()
  /** What the ids of each block of the wheel have below the generation, for its first record; 0: not claimed. */
  readonly places: number[] = []
  /** The first unit of the block that has each number; 0, or past the end: none of this wheel's has. */
  firstUnits = new Int32Array(FIRST_NUMBERS)

  constructor() {
    collected.register(this, this.#held, this)
  }

  /** To be told of every `NOTED_GENERATIONS`th in use: the next owner of a number starts above those that follow it. */
  saw(generation: number): void {
    const last = generation | (NOTED_GENERATIONS - 1)
    if (last > this.#held.highestGeneration) this.#held.highestGeneration = last
  }

  /**
   * A number for a block, and the generation that its records begin with. It is claimed by `commit`.
   *
   * @throws RangeError if none of the 16,383 numbers is free
   */
  prepare(): Claim {
    const claim = released.at(-1) ?? { number: nextNumber, generation: 0 }
    if (claim.number >= MAX_NUMBERS) throw exhausted('ids')
    return claim
  }

  /** Claims a number for a block. Returns what the ids of the block have below the generation, for its first record. */
  commit(claim: Claim, block: number): number {
    const { number, generation } = claim
    // Without holes: arrays with many are slow.
    while (this.places.length < block) this.places.push(0)
    if (number >= this.firstUnits.length) {
      const longer = new Int32Array(2 ** (32 - Math.clz32(number)))
      longer.set(this.firstUnits)
      this.firstUnits = longer
    }
    this.saw(generation)

    if (released.at(-1) === claim) released.pop()
    else nextNumber = number + 1
    this.#held.numbers.push(number)
    this.firstUnits[number] = block << BLOCK_SHIFT
    this.places[block] = number << BLOCK_SHIFT
    return number << BLOCK_SHIFT
  }

  /** The unit of the record at a place, as ids have it below the generation; 0: it is none of this wheel's. */
  unitAt(place: number): number {
    const first = this.firstUnits[place >>> BLOCK_SHIFT]
    return first ? first | (place & RECORD_MASK) : 0
  }

  release(): void {
    collected.unregister(this)
    this.giveBack()
  }

  /** Gives back the numbers of a wheel that has no timer with an id: it claims others when it has. */
  giveBack(): void {
    // Another wheel may have a number next, for a block that stands here where its own does.
    this.places.length = 0
    this.firstUnits = NONE
    this.#held.release()
  }
}
