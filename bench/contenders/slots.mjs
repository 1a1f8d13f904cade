/**
 * No timers: each has a slot that keeps its callback until it is cleared, which no timer can do without. Nothing comes due.
 *
 * @import { Timers } from './index.mjs'
 */

/** Slots that are taken and freed; the last one freed is the next one taken. */
class Slots {
  /** @type {unknown[]} */
  kept = []
  /** @type {number[]} The free slot after each free one. */
  next = []
  free = -1

  /** @param {unknown} value */
  take(value) {
    const slot = this.free
    if (slot === -1) {
      this.next.push(-1)
      return this.kept.push(value) - 1
    }
    this.free = this.next[slot]
    this.kept[slot] = value
    return slot
  }

  /** @param {number} slot */
  release(slot) {
    this.kept[slot] = undefined
    this.next[slot] = this.free
    this.free = slot
  }
}

/**
 * The number of a callback's slot. A refresh writes one word for it.
 *
 * @returns {Timers}
 */
export const stored = () => {
  const slots = new Slots()
  let words = new Int32Array(1 << 16)
  /** @param {() => void} callback */
  const set = (callback) => {
    const slot = slots.take(callback)
    if (slot === words.length) {
      const longer = new Int32Array(2 * words.length)
      longer.set(words)
      words = longer
    }
    return slot
  }
  let writes = 0
  return {
    set,
    setWith: set,
    clear: (slot) => slots.release(slot),
    refresh: (slot) => {
      writes = (writes + 1) | 0
      words[slot] = writes
    },
  }
}

class Handle {
  /**
   * @param {() => void} callback
   * @param {number} delay
   */
  constructor(callback, delay) {
    this.callback = callback
    this.delay = delay
    this.slot = 0
  }
}

/**
 * An object for each, which a slot keeps.
 *
 * @returns {Timers}
 */
export const object = () => {
  const slots = new Slots()
  /**
   * @param {() => void} callback
   * @param {number} delay
   */
  const set = (callback, delay) => {
    const handle = new Handle(callback, delay)
    handle.slot = slots.take(handle)
    return handle
  }
  return { set, setWith: set, clear: (handle) => slots.release(handle.slot), refresh: () => {} }
}
