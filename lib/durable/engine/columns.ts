/**
 * Rows in columns: some numbers each, and texts outside the heap, and no object. A process can hold very many, and each object would cost
 * time in the collections of garbage that it survives, during which the event loop stands still.
 */
import type { Row } from '../common/store.js'
import { Texts } from './texts.js'

/** The numbers of a row, one after the other: due, id, fence, tries, */
const OWNER = 4
/** the timer on the clock, */
const TIMER = 5
/** the index of its name, where its texts are, and the lengths of key, data, rule and error. */
const NAME = 6
const CHUNK = 7
const START = 8
const LENGTHS = 9
const NUMBERS = 13
/** Instead of a timer: none was set yet; the handler of the row has ended. */
const NONE = -1
const PARKED = 0
/** Stands for the length if a text is null. */
const NULL = -1
/** So many rows have room at first. */
const FEW = 256

export class Columns {
  #numbers = new Float64Array(FEW * NUMBERS)
  readonly #texts = new Texts()
  /** Places that are free again. */
  #free: number[] = []
  /** No place from here on was ever used. */
  #end = 0
  readonly #names: string[] = []
  readonly #indexes = new Map<string, number>()

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
    this.#write(first, row, owner)
    return place
  }

  /** Another row instead of one. */
  write(place: number, row: Row, owner: number): void {
    const first = place * NUMBERS
    this.#texts.remove(this.#numbers[first + CHUNK]!)
    this.#write(first, row, owner)
  }

  #write(first: number, row: Row, owner: number): void {
    const numbers = this.#numbers
    const { chunk, start } = this.#texts.begin()
    numbers[first] = row.due
    numbers[first + 1] = row.id
    numbers[first + 2] = row.fence
    numbers[first + 3] = row.tries
    numbers[first + OWNER] = owner
    numbers[first + NAME] = this.#indexOf(row.name)
    numbers[first + CHUNK] = chunk
    numbers[first + START] = start
    numbers[first + LENGTHS] = this.#add(row.key)
    numbers[first + LENGTHS + 1] = this.#add(row.data)
    numbers[first + LENGTHS + 2] = this.#add(row.rule)
    numbers[first + LENGTHS + 3] = this.#add(row.error)
  }

  #indexOf(name: string): number {
    const index = this.#indexes.get(name)
    if (index !== undefined) return index
    this.#indexes.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }

  #add(text: string | null): number {
    if (text === null) return NULL
    this.#texts.add(text)
    return text.length
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

  /** Marks that the handler of the row has ended. */
  park(place: number): void {
    this.setTimer(place, PARKED)
  }

  isParked(place: number): boolean {
    return this.timer(place) === PARKED
  }

  setTimer(place: number, timer: number): void {
    this.#numbers[place * NUMBERS + TIMER] = timer
  }

  identity(place: number): Pick<Row, 'id' | 'fence'> {
    const first = place * NUMBERS
    return { id: this.#numbers[first + 1]!, fence: this.#numbers[first + 2]! }
  }

  row(place: number): Row {
    const numbers = this.#numbers
    const first = place * NUMBERS
    const chunk = numbers[first + CHUNK]!
    let start = numbers[first + START]!
    const read = (which: number): string | null => {
      const length = numbers[first + LENGTHS + which]!
      if (length === NULL) return null
      start += length
      return this.#texts.read(chunk, start - length, length)
    }
    return {
      due: numbers[first]!,
      id: numbers[first + 1]!,
      fence: numbers[first + 2]!,
      tries: numbers[first + 3]!,
      name: this.#names[numbers[first + NAME]!]!,
      key: read(0),
      data: read(1),
      rule: read(2),
      error: read(3),
    }
  }

  remove(place: number): void {
    this.#texts.remove(this.#numbers[place * NUMBERS + CHUNK]!)
    this.#free.push(place)
    if (this.size > 0 || this.#end <= FEW) return
    // The memory of very many rows is not kept for few.
    this.#numbers = new Float64Array(FEW * NUMBERS)
    this.#free = []
    this.#end = 0
  }
}
