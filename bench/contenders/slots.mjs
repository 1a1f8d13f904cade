/** Not timers: each callback is kept in a slot until it is cleared, as every timer needs. Nothing fires. */

/** A list of slots. The slot that was freed last is taken first. */
class Slots {
  kept = []
  next = []
  free = -1

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

  release(slot) {
    this.kept[slot] = undefined
    this.next[slot] = this.free
    this.free = slot
  }
}

/** A timer is the number of its callback's slot. A refresh writes one word. */
export const stored = () => {
  const slots = new Slots()
  let words = new Int32Array(1 << 16)
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
  constructor(callback, delay) {
    this.callback = callback
    this.delay = delay
    this.slot = 0
  }
}

/** A timer is an object that is kept in a slot. */
export const object = () => {
  const slots = new Slots()
  const set = (callback, delay) => {
    const handle = new Handle(callback, delay)
    handle.slot = slots.take(handle)
    return handle
  }
  return { set, setWith: set, clear: (handle) => slots.release(handle.slot), refresh: () => {} }
}

class Field {
  written = 0
}

/** A refresh writes one field of a bare object, which is the least that the refresh of an object can do. */
export const field = () => {
  let writes = 0
  const set = () => new Field()
  return {
    set,
    setWith: set,
    clear: () => {},
    refresh: (object) => {
      writes = (writes + 1) | 0
      object.written = writes
    },
  }
}
