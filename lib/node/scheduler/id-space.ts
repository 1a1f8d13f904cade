/**
 * The ids of `schedule`, and the numbers of groups' members: numbers that no other timer ever has, on this wheel or another.
 *
 *   id = generation * 2^27 + number of the block among the blocks of all wheels * 2^13 + record within the block
 *
 * A wheel claims a number for a block when it first returns an id there. When the wheel gives the number back, another wheel
 * can claim it, and continues its generations.
 *
 * The generation of a record is odd while a timer with an id uses the record. Otherwise it is even, also while a handle uses
 * the record. So this one word decides whether an id is valid.
 */
import { exhausted } from '../../common/errors.js'
import { BLOCK_SHIFT, RECORD_MASK } from '../../memory/layout.js'

const MAX_NUMBERS = 2 ** 14
/** The numbers for which a wheel has room at first. */
const FIRST_NUMBERS = 16
const NONE = new Int32Array(0)
export const PER_GENERATION = 2 ** 27
/** The bits of an id below the generation: they name its record. */
export const LOCATOR_MASK = PER_GENERATION - 1

/** A record with this generation is not used again, because its ids are used up. */
export const GENERATIONS = 2 ** 26
/**
 * Generations are marked as used in groups of this size, a power of two, because it would cost more to mark each. A block
 * loses one group when its wheel gives memory back: a wheel with a million ids can do that every ten seconds for 20 years, and one
 * with a million members of groups for five.
 */
export const MARKED_GENERATIONS = 2 ** 6

/** The next number that was never claimed. Number 0 is not used, so that no id is 0, which programs take for no id. */
let nextNumber = 1
/** Numbers given back. */
const released: Claim[] = []

interface Claim {
  readonly number: number
  /** The first generation that is not marked as used. */
  generation: number
}

/** The claims of a wheel, by block. A separate object, so that they can be given back when the wheel is collected. */
class Held {
  readonly claims: (Claim | undefined)[] = []

  release(): void {
    const { claims } = this
    while (claims.length > 0) {
      const claim = claims[claims.length - 1]
      claims.length--
      if (claim !== undefined && claim.generation < GENERATIONS) released[released.length] = claim
    }
  }
}

const collected = new FinalizationRegistry<Held>((held) => held.release())

export class IdSpace {
  readonly #held = new Held()
  /** The locator of the first record of each block; 0: no number is claimed for the block. */
  readonly locators: number[] = []
  /** The first unit of the block with each number; 0 or past the end: no block of this wheel has the number. */
  firstUnits = new Int32Array(FIRST_NUMBERS)

  constructor() {
    collected.register(this, this.#held, this)
  }

  /** Called for every `MARKED_GENERATIONS`th generation in use of a block. Marks it and those up to the next call as used. */
  saw(block: number, generation: number): void {
    const claim = this.#held.claims[block]!
    const unused = (generation | (MARKED_GENERATIONS - 1)) + 1
    if (unused > claim.generation) claim.generation = unused
  }

  /**
   * Returns a number for a block, and the first generation of its records. `commit` claims the number.
   *
   * @param limit the first generation must be lower
   * @throws RangeError if none of the 16,383 numbers is free
   */
  prepare(limit = GENERATIONS): Claim {
    // A former `giveBack` can have been interrupted before it did this.
    if (this.locators.length === 0) this.#held.release()
    let at = released.length - 1
    while (at >= 0 && released[at]!.generation >= limit) at--
    const claim = at < 0 ? { number: nextNumber, generation: 0 } : released[at]!
    if (claim.number >= MAX_NUMBERS) throw exhausted('ids')
    return claim
  }

  /** Claims a number for a block. Returns the locator of the block's first record. */
  commit(claim: Claim, block: number): number {
    const { number } = claim
    const { claims } = this.#held
    // Filled, because arrays with many holes are slow.
    while (claims.length < block) claims.push(undefined)
    while (this.locators.length < block) this.locators.push(0)
    if (number >= this.firstUnits.length) {
      const longer = new Int32Array(2 ** (32 - Math.clz32(number)))
      longer.set(this.firstUnits)
      this.firstUnits = longer
    }
    const at = released.lastIndexOf(claim)
    // Commit: no calls from here on.
    if (at < 0) nextNumber = number + 1
    else {
      released[at] = released[released.length - 1]!
      released.length--
    }
    claim.generation = claim.generation + MARKED_GENERATIONS
    claims[block] = claim
    this.firstUnits[number] = block << BLOCK_SHIFT
    this.locators[block] = number << BLOCK_SHIFT
    return number << BLOCK_SHIFT
  }

  /** The unit of the record with a locator in ids; 0: the locator is not of this wheel. */
  unitAt(locator: number): number {
    const first = this.firstUnits[locator >>> BLOCK_SHIFT]
    return first ? first | (locator & RECORD_MASK) : 0
  }

  release(): void {
    this.giveBack()
    collected.unregister(this)
  }

  /** Gives back the numbers of a wheel without timers that have an id. Its next ids claim numbers again. */
  giveBack(): void {
    // First, because another wheel can claim the numbers next. Its ids must not be valid on this wheel.
    this.locators.length = 0
    this.firstUnits = NONE
    this.#held.release()
  }
}
