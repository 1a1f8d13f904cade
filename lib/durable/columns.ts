/**
 * Rows in columns: some numbers and texts each, and no object. A process can hold very many, and each object would cost time in the
 * collections of garbage that it survives, during which the event loop stands still.
 */
import type { Row } from './store.js'

/** The numbers of a row, one after the other: due, id, fence, tries, the owner, and the timer on the clock. */
const NUMBERS = 6
const OWNER = 4
const TIMER = 5
/** In place of a timer: none was set yet; the handler of the row has ended. */
const NONE = -1
const PARKED = 0
/** Its texts: name, key, data, rule, error. */
const TEXTS = 5
/** So many rows have room at first. */
const FEW = 256

export class Columns {
  #numbers = new Float64Array(FEW * NUMBERS)
  #texts: (string | null)[] = []
  /** Places that are free again. */
  #free: number[] = []
  /** No place from here on was ever used. */
  #end = 0
  /** One string for each name. */
  readonly #names = new Map<string, string>()

  get size(): number {
    return this.#end - this.#free.length
  }

  /** @returns its place */
  add(row: Row, owner: number): number {
    const place = this.#free.pop() ?? this.#end++
    const first = place * NUMBERS
    if (first === this.#numbers.length) {
      const numbers = new Float64Array(first * 2)
      numbers.set(this.#numbers)
      this.#numbers = numbers
    }
    this.#numbers[first + TIMER] = NONE
    this.write(place, row, owner)
    return place
  }

  write(place: number, { due, id, fence, tries, name, key, data, rule, error }: Row, owner: number): void {
    const first = place * NUMBERS
    if (!this.#names.has(name)) this.#names.set(name, name)
    const numbers = this.#numbers
    const texts = this.#texts
    numbers[first] = due
    numbers[first + 1] = id
    numbers[first + 2] = fence
    numbers[first + 3] = tries
    numbers[first + OWNER] = owner
    const text = place * TEXTS
    texts[text] = this.#names.get(name)!
    texts[text + 1] = key
    texts[text + 2] = data
    texts[text + 3] = rule
    texts[text + 4] = error
  }

  due(place: number): number {
    return this.#numbers[place * NUMBERS]!
  }

  owner(place: number): number {
    return this.#numbers[place * NUMBERS + OWNER]!
  }

  timer(place: number): number {
    return this.#numbers[place * NUMBERS + TIMER]!
  }

  /** Notes that the handler of the row has ended. */
  park(place: number): void {
    this.setTimer(place, PARKED)
  }

  isParked(place: number): boolean {
    return this.timer(place) === PARKED
  }

  setTimer(place: number, timer: number): void {
    this.#numbers[place * NUMBERS + TIMER] = timer
  }

  row(place: number): Row {
    const numbers = this.#numbers
    const texts = this.#texts
    const first = place * NUMBERS
    const text = place * TEXTS
    return {
      due: numbers[first]!,
      id: numbers[first + 1]!,
      fence: numbers[first + 2]!,
      tries: numbers[first + 3]!,
      name: texts[text]!,
      key: texts[text + 1]!,
      data: texts[text + 2]!,
      rule: texts[text + 3]!,
      error: texts[text + 4]!,
    }
  }

  remove(place: number): void {
    for (let text = place * TEXTS, end = text + TEXTS; text < end; text++) this.#texts[text] = null
    this.#free.push(place)
    if (this.size > 0 || this.#end <= FEW) return
    // The memory of very many rows is not kept for few.
    this.#numbers = new Float64Array(FEW * NUMBERS)
    this.#texts = []
    this.#free = []
    this.#end = 0
  }
}
