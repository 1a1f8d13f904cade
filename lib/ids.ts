/**
 * The ids of `schedule`: numbers that no other timer ever has, on this wheel or another.
 *
 *   id = generation * 2^27 + number of the block among those of all wheels * 2^13 + record within the block
 *
 * A wheel claims a number for each of its blocks when it first gives out an id there. When the wheel is done with it,
 * the number goes to another wheel, and its generations go on where they stood.
 */
import { idsExhausted } from './errors.js'
import { BLOCK_SHIFT, RECORD_MASK } from './memory.js'

const RECORD_BITS = 13
const MAX_NUMBERS = 2 ** 14
const GENERATION_STEP = 2 ** 27

/** A record whose generation has come this far is not used again: its ids are used up. */
export const LAST_GENERATION = 2 ** 26 - 1

interface Claim {
  /** The wheel, as a number: its memory is not kept alive by this. */
  readonly owner: number
  readonly block: number
}

let owners = 0
const claims: (Claim | undefined)[] = []
/** Numbers given back, each with the first generation that was not used under it. */
const released: { number: number; generation: number }[] = []

/** What a wheel holds of the numbers. Apart from the wheel, so that it can be given back when the wheel is collected. */
class Held {
  readonly numbers: number[] = []
  highestGeneration = 0

  release(): void {
    for (const number of this.numbers.splice(0)) {
      claims[number] = undefined
      if (this.highestGeneration < LAST_GENERATION) {
        released.push({ number, generation: this.highestGeneration + 1 })
      }
    }
  }
}

const collected = new FinalizationRegistry<Held>((held) => held.release())

export class IdSpace {
  readonly #owner = ++owners
  readonly #held = new Held()
  /** The number of each block of the wheel, or -1. */
  readonly #numbers: number[] = []

  constructor() {
    collected.register(this, this.#held, this)
  }

  /** To be told of each generation in use, so that the next owner of a number starts above it. */
  saw(generation: number): void {
    if (generation > this.#held.highestGeneration) this.#held.highestGeneration = generation
  }

  /** The id's upper part for a block, or -1 where none was claimed. */
  numberOf(block: number): number {
    return this.#numbers[block] ?? -1
  }

  /**
   * Claims a number for a block, and returns the first generation its records may use.
   *
   * @throws RangeError where none of the 16,384 numbers is free
   */
  claim(block: number): number {
    const reused = released.pop()
    const number = reused?.number ?? claims.length
    if (number >= MAX_NUMBERS) throw idsExhausted()
    claims[number] = { owner: this.#owner, block }
    this.#held.numbers.push(number)
    this.#numbers[block] = number
    const generation = reused?.generation ?? 0
    this.saw(generation)
    return generation
  }

  idOf(number: number, unit: number, generation: number): number {
    return generation * GENERATION_STEP + ((number << RECORD_BITS) | (unit & RECORD_MASK))
  }

  /** The unit of the record that an id points to, or 0: no id of this wheel. The generation is yet to be compared. */
  unitOf(id: number): number {
    const place = id - Math.floor(id / GENERATION_STEP) * GENERATION_STEP
    const claim = claims[place >>> RECORD_BITS]
    return claim !== undefined && claim.owner === this.#owner
      ? (claim.block << BLOCK_SHIFT) + (place & RECORD_MASK)
      : 0
  }

  release(): void {
    collected.unregister(this)
    this.#held.release()
  }
}
