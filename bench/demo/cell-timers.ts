/** The two ways to give each cell a time-out. Each has loops of its own, so that an engine compiles each for itself. */
import { setTimeout as setWheelTimeout, type Timeout } from 'timeout-wheel'

export type Implementation = 'native' | 'wheel'

/** One time-out per cell. A cell's callback and its delay are the same in both implementations. */
export interface CellTimers {
  /** Sets the time-out of a cell that has none: it is new, or its time-out has just run. */
  set(cell: number): void
  /** Counts the delays of the first `count` of `cells` anew. */
  rearm(cells: Uint32Array, count: number): void
  clearAll(): void
}

export type CellTimersConstructor = new (callbacks: (() => void)[], delays: Uint16Array) => CellTimers

/** The browser's own. It has no refresh: counting anew is to clear and to set again. */
class NativeTimers implements CellTimers {
  readonly #callbacks: (() => void)[]
  readonly #delays: Uint16Array
  readonly #ids: Int32Array

  constructor(callbacks: (() => void)[], delays: Uint16Array) {
    this.#callbacks = callbacks
    this.#delays = delays
    this.#ids = new Int32Array(callbacks.length)
  }

  set(cell: number): void {
    this.#ids[cell] = window.setTimeout(this.#callbacks[cell]!, this.#delays[cell])
  }

  rearm(cells: Uint32Array, count: number): void {
    const callbacks = this.#callbacks
    const delays = this.#delays
    const ids = this.#ids
    for (let i = 0; i < count; i++) {
      const cell = cells[i]!
      window.clearTimeout(ids[cell])
      ids[cell] = window.setTimeout(callbacks[cell]!, delays[cell])
    }
  }

  clearAll(): void {
    for (const id of this.#ids) window.clearTimeout(id)
  }
}

class WheelTimers implements CellTimers {
  readonly #callbacks: (() => void)[]
  readonly #delays: Uint16Array
  readonly #handles: Timeout[] = []

  constructor(callbacks: (() => void)[], delays: Uint16Array) {
    this.#callbacks = callbacks
    this.#delays = delays
  }

  set(cell: number): void {
    this.#handles[cell] = setWheelTimeout(this.#callbacks[cell]!, this.#delays[cell])
  }

  rearm(cells: Uint32Array, count: number): void {
    const handles = this.#handles
    for (let i = 0; i < count; i++) handles[cells[i]!]!.refresh()
  }

  clearAll(): void {
    for (const handle of this.#handles) handle.close()
  }
}

export const cellTimers: Record<Implementation, CellTimersConstructor> = {
  native: NativeTimers,
  wheel: WheelTimers,
}
