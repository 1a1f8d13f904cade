/**
 * Simulates workerd's timers and clock in virtual time. A timer runs in the request that sets it, ends with it, and no other can clear it. The
 * clock stands while code runs, and at 0 before the first request. In a callback it shows the time at which the timer was due.
 */
import { type PageHost, pageHostOf } from '../../../lib/page/host.js'

interface Task {
  readonly request: string
  readonly due: number
  readonly callback: () => void
}

export class SimulatedRequests {
  time = 1_000_000
  /** The number of timers that were set. */
  set = 0
  readonly errors: unknown[] = []
  readonly host: PageHost
  readonly #tasks = new Map<number, Task>()
  #request: string | undefined
  /** What the clock shows. */
  #shown = 0

  constructor() {
    this.host = pageHostOf({
      performance: { now: () => this.#shown },
      setTimeout: (callback: () => void, delay: number) => {
        const request = this.#inRequest()
        const due = this.#shown + Math.trunc(delay)
        this.#tasks.set(++this.set, { request, due, callback })
        return this.set
      },
      clearTimeout: (id: number) => {
        if (this.#tasks.get(id)?.request === this.#inRequest()) this.#tasks.delete(id)
      },
    } as never)
  }

  /** Runs code in a request, and its microtasks. Throws what it throws. */
  async in<T>(request: string, code: () => T): Promise<T> {
    return this.#run(request, this.time, code)
  }

  /** Lets time pass. @param late how late each timer runs */
  async pass(ms: number, late = 0): Promise<void> {
    const end = this.time + ms
    for (;;) {
      const [next] = [...this.#tasks].sort(([, a], [, b]) => a.due - b.due)
      if (!next || next[1].due + late > end) break
      const [id, { request, due, callback }] = next
      this.#tasks.delete(id)
      this.time = Math.max(this.time, due + late)
      await this.#run(request, due, callback).catch((error) => this.errors.push(error))
    }
    this.time = end
  }

  /** The number of pending timers of a request. */
  pendingOf(request: string): number {
    return [...this.#tasks.values()].filter((task) => task.request === request).length
  }

  async #run<T>(request: string, shown: number, code: () => T): Promise<T> {
    this.#request = request
    this.#shown = shown
    try {
      return code()
    } finally {
      // Microtasks belong to the request too.
      await new Promise(setImmediate)
      this.#request = undefined
    }
  }

  #inRequest(): string {
    if (this.#request === undefined) throw new Error('not in a request')
    return this.#request
  }
}
