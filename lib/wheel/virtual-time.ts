/** Virtual time: the clock of a wheel stands still, and moves only in `advance` and `runAll`. The kernel is the same. */
import { checkEndOfTime } from '../common/checks.js'
import { FOREVER } from '../common/constants.js'
import { endless, insideCallback } from '../common/errors.js'
import { type Kernel, type KernelOptions, openKernel } from '../kernel/kernel.js'
import type { OpenCore } from '../memory/core.js'

/** Runs a due unit. */
type Runner = (unit: number) => void

export interface VirtualTime {
  /** Milliseconds since the wheel was made. */
  _time(): number
  /**
   * Lets `ms` milliseconds pass; Infinity: until nothing is pending, or virtual time ends. Then `limit` is finite, and it throws if timers
   * are left after so many callbacks. The clock stops at each due time, so that callbacks see the time at which they are due. If a
   * callback throws, the clock stays there, and the next call runs the rest.
   */
  _run(ms: number, limit: number): void
}

/** The largest error of a sum of fractions, as a part of the sum. */
const ROUNDING_ERROR = 2 ** -50
/** No timer may be earlier than this, in milliseconds. Late in virtual time, that part of the sum would be more. */
const LARGEST_ERROR = 0.001

/** @param runner returns what runs the due timers; undefined: the kernel */
export function openVirtualWheel(
  openCore: OpenCore,
  options: KernelOptions,
  runner?: () => Runner | undefined,
): { readonly _kernel: Kernel; readonly _virtual: VirtualTime } {
  const { tick } = options
  // Microseconds are whole if ticks are fractions: then sums of them are exact.
  const perMs = tick % 1 ? 1000 : 1
  let now = 0
  let isRunning = false
  const nothing = (): void => {}
  const core = openCore(tick, {
    _now: () => now,
    _applies: nothing,
    _hold: nothing,
    _release: nothing,
    _close: nothing,
  })
  const kernel = openKernel(core, options)

  function run(ms: number, limit: number): void {
    if (isRunning) throw insideCallback()
    const sum = now + ms
    const end = ms === FOREVER ? 2 ** 53 / perMs : perMs > 1 ? Math.round(sum * perMs) / perMs : sum
    checkEndOfTime(end * perMs, perMs)
    const last = kernel._fired + limit
    isRunning = true
    try {
      for (;;) {
        kernel._mend()
        if (kernel._stopped || (limit < FOREVER && !kernel._pending())) break
        // The clock stands at the last run.
        if (kernel._fired >= last) throw endless(limit, kernel._pending())
        if (!kernel._hasDue()) {
          const due = core._endTurn()
          if (due > end + Math.min(end * ROUNDING_ERROR, LARGEST_ERROR)) break
          now = Math.max(now, due)
          core._expire()
        }
        kernel._step(runner?.())
      }
    } finally {
      isRunning = false
    }
    if (ms < FOREVER && !kernel._stopped) now = Math.max(now, end)
  }
  return { _kernel: kernel, _virtual: { _time: () => now, _run: run } }
}
