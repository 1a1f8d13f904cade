/** The two implementations of the cells' timeouts. Each has its own loops, so that an engine compiles them separately. */
import { setTimeout as setWheelTimeout, type Timeout } from 'timeout-wheel'

export type Implementation = 'native' | 'wheel'

/** One timeout per cell. Both implementations use the same callbacks and delays. */
export interface CellTimers {
  /** Sets the timeout of a new cell, or of a cell whose timeout has just fired. */
  set(cell: number): void
  /** Restarts the delays of the first `count` of `cells`. */
  rearm(cells: Uint32Array, count: number): void
  clearAll(): void
}

export type CellTimersConstructor = new (callbacks: (() => void)[], delays: Uint16Array) => CellTimers

/** The timeouts of the browser. They have no refresh, so a restart clears and sets again. */
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
