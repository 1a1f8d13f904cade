import { clearTimeout, setTimeout } from 'node:timers'
import { Heap } from 'heap-js'

/** The heap is rebuilt only if it has more cleared entries than this. */
const FEW = 1024

/**
 * A simple scheduler: a binary heap, and one native timer for its top. Clearing and refreshing only mark an entry, because a
 * search in the heap visits all entries. The heap is rebuilt when half of its entries are cleared.
 */
class HeapTimers {
  #heap = new Heap((a, b) => a.filed - b.filed || a.order - b.order)
  #order = 0
  #cleared = 0
  #armedFor = Infinity
  #alarm

  set(fn, delay, arg) {
    const now = performance.now()
    const deadline = now + delay
    const entry = { deadline, filed: deadline, order: this.#order++, fn, arg }
    this.#heap.push(entry)
    if (deadline < this.#armedFor) this.#arm(deadline, now)
    return entry
  }

  clear(entry) {
    if (entry.fn === undefined) return
    entry.fn = undefined
    entry.arg = undefined
    if (++this.#cleared > FEW && this.#cleared * 2 > this.#heap.length) this.#compact()
  }

  refresh(entry, delay) {
    entry.deadline = performance.now() + delay
  }

  #compact() {
    this.#heap.init(this.#heap.toArray().filter(({ fn }) => fn !== undefined))
    this.#cleared = 0
  }

  #arm(deadline, now) {
    clearTimeout(this.#alarm)
    this.#armedFor = deadline
    this.#alarm = setTimeout(() => this.#run(), Math.max(1, Math.ceil(deadline - now)))
  }

  #run() {
    const heap = this.#heap
    const now = performance.now()
    for (let top = heap.peek(); top !== undefined && top.filed <= now; top = heap.peek()) {
      const { fn } = top
      if (fn !== undefined && top.deadline > top.filed) {
        top.filed = top.deadline
        top.order = this.#order++
        heap.replace(top)
        continue
      }
      heap.pop()
      if (fn === undefined) this.#cleared--
      else {
        top.fn = undefined
        fn(top.arg)
      }
    }
    this.#armedFor = Infinity
    const next = heap.peek()
    if (next !== undefined) this.#arm(next.filed, performance.now())
  }
}

export const handles = () => {
  const timers = new HeapTimers()
  return {
    set: (fn, delay) => timers.set(fn, delay),
    setWith: (fn, delay, arg) => timers.set(fn, delay, arg),
    clear: (timer) => timers.clear(timer),
    refresh: (timer, delay) => timers.refresh(timer, delay),
  }
}
