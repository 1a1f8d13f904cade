/** Virtual time, for Node and pages: the clock of a wheel moves only in `advance` and `runAll`. */
import { checkEndOfTime } from './checks.js'
import { FOREVER } from './constants.js'
import { endless, insideCallback } from './errors.js'
import { unitsPerMs, unitsPerTick } from './ticks.js'

/** A wheel on a virtual clock. */
export interface VirtualWheel {
  /** The next time at which a timer can be due, in ticks, or Infinity. Not called on a stopped wheel. */
  _nextWake(): number
  /** Runs the next due callback. Returns whether more timers can be due. @throws the error of the callback */
  _step(): boolean
  _pending(): number
  readonly _stopped?: unknown
  /** The number of callbacks that have run. */
  readonly _ran: number
}

export interface VirtualTime {
  /** Milliseconds since the wheel was made. */
  _time(): number
  /**
   * Lets `ms` milliseconds pass; Infinity: until nothing is pending, or virtual time ends at 2^53 units. Then `limit` is finite,
   * and it throws if timers are left after so many callbacks. The clock stops at each deadline, so that callbacks see the time at
   * which they are due. If a callback throws, the clock stays at its deadline, and the next call runs the rest.
   */
  _run(ms: number, limit: number): void
}

/**
 * Opens the time of a wheel.
 *
 * @param tick the length of a tick in milliseconds
 * @param open opens the wheel on a clock in ticks
 */
export function openVirtualTime(tick: number, open: (clock: () => number) => VirtualWheel): VirtualTime {
  const perMs = unitsPerMs(tick)
  const perTick = unitsPerTick(tick)
  /** In units: see ticks.ts. Microseconds are whole, so that the quotient of a whole number of ticks is exact. */
  let now = 0
  /** A callback threw before all due timers had run. */
  let isUnfinished = false
  let isRunning = false
  const wheel = open(() => now / perTick)

  function run(ms: number, limit: number): void {
    if (isRunning) throw insideCallback()
    const end = ms < FOREVER ? now + (perMs > 1 ? Math.round(ms * perMs) : ms) : 2 ** 53
    checkEndOfTime(end, perMs)
    const last = wheel._ran + limit
    isRunning = true
    try {
      for (;;) {
        const due = isUnfinished ? now : wheel._stopped ? FOREVER : wheel._nextWake() * perTick
        // First: a wheel can wake once more for a timer that was cancelled.
        if ((limit < FOREVER && !wheel._pending()) || due > end) break
        if (wheel._ran >= last) throw endless(limit, wheel._pending())
        now = Math.max(now, due)
        isUnfinished = true
        isUnfinished = wheel._step()
      }
    } finally {
      isRunning = false
    }
    if (ms < FOREVER && !wheel._stopped) now = end
  }
  return { _time: () => now / perMs, _run: run }
}
