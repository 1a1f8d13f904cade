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

type MakeCellTimers = (callbacks: (() => void)[], delays: Uint16Array) => CellTimers

export const cellTimers: Record<Implementation, MakeCellTimers> = {
  /** The timeouts of the browser have no refresh, so a restart clears and sets again. */
  native(callbacks, delays) {
    const ids = new Int32Array(callbacks.length)
    return {
      set(cell) {
        ids[cell] = window.setTimeout(callbacks[cell]!, delays[cell])
      },
      rearm(cells, count) {
        for (let i = 0; i < count; i++) {
          const cell = cells[i]!
          window.clearTimeout(ids[cell])
          ids[cell] = window.setTimeout(callbacks[cell]!, delays[cell])
        }
      },
      clearAll() {
        for (const id of ids) window.clearTimeout(id)
      },
    }
  },

  wheel(callbacks, delays) {
    const handles: Timeout[] = []
    return {
      set(cell) {
        handles[cell] = setWheelTimeout(callbacks[cell]!, delays[cell])
      },
      rearm(cells, count) {
        for (let i = 0; i < count; i++) handles[cells[i]!]!.refresh()
      },
      clearAll() {
        for (const handle of handles) handle.close()
      },
    }
  },
}
