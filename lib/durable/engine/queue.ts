/**
 * Timers that wait, in the order of their due times. Of those that are due together, the first that came is the first. An array alone would
 * not do: of 20,000 elements or more, Node takes 100 µs to remove the first.
 */
import type { Attempt } from './attempt.js'

export class Queue {
  /** What stands before the first has left. */
  #list: (Attempt | undefined)[] = []
  #first = 0

  get size(): number {
    return this.#list.length - this.#first
  }

  /** @param nth from 0 */
  at(nth: number): Attempt | undefined {
    return this.#list[this.#first + nth]
  }

  slice(from: number, to = this.size): Attempt[] {
    return this.#list.slice(this.#first + from, this.#first + to) as Attempt[]
  }

  /** How many are due at a time. O(log n). */
  countDue(time: number): number {
    const list = this.#list
    let from = this.#first
    let to = list.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (time < list[middle]!.row.due) to = middle
      else from = middle + 1
    }
    return from - this.#first
  }

  add(attempt: Attempt): void {
    const index = this.#first + this.countDue(attempt.row.due)
    if (index === this.#list.length) this.#list.push(attempt)
    else this.#list.splice(index, 0, attempt)
  }

  delete(attempt: Attempt): void {
    if (attempt !== this.at(0)) {
      const last = this.#first + this.countDue(attempt.row.due) - 1
      this.#list.splice(this.#list.lastIndexOf(attempt, last), 1)
      return
    }
    this.#list[this.#first++] = undefined
    if (this.#first * 2 < this.#list.length) return
    this.#list = this.#list.slice(this.#first)
    this.#first = 0
  }
}
