/** Computes the deadlines of timers, and checks that they run by deadline, then in scheduling order. */
'use strict'

exports.Expectations = class {
  #time
  #armed = new Map()
  #order = 0

  /** @param {() => number} time milliseconds */
  constructor(time) {
    this.#time = time
  }

  /** Notes that a timer was set, or set again: it goes behind all others of its deadline. */
  arm(timer, deadline) {
    this.#armed.delete(timer)
    this.#armed.set(timer, { deadline, order: ++this.#order })
  }

  disarm(timer) {
    this.#armed.delete(timer)
  }

  has(timer) {
    return this.#armed.has(timer)
  }

  /** Returns whether timers become due after one time, up to another. */
  areDue(after, to) {
    return [...this.#armed.values()].some(({ deadline }) => deadline > after && deadline <= to)
  }

  /** Notes that a timer runs. Returns the fault, if there is one. */
  run(timer) {
    const due = this.#armed.get(timer)
    if (due === undefined) return ['FAULT runs although it is not set']
    this.#armed.delete(timer)
    if (this.#time() < due.deadline) return [`FAULT early, due at ${due.deadline}`]
    const isBefore = (other) =>
      other.deadline < due.deadline || (other.deadline === due.deadline && other.order < due.order)
    return [...this.#armed.values()].some(isBefore) ? ['OUT OF ORDER'] : []
  }
}
