/** When each timer is due, and whether timers run in the one total order: by deadline, then by the order of scheduling. */
'use strict'

exports.Expectations = class {
  #time
  #armed = new Map()
  #order = 0

  /** @param {() => number} time milliseconds */
  constructor(time) {
    this.#time = time
  }

  /** A timer has been set, or set again: it goes to the back of those that are due with it. */
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

  /** Whether timers come due after one time, up to another. */
  areDue(after, to) {
    return [...this.#armed.values()].some(({ deadline }) => deadline > after && deadline <= to)
  }

  /** A timer runs. Returns what is wrong with that. */
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
