/**
 * Watches the callbacks of one wheel: for `{ measure: true }`, and for the subscribers of its channels. Each slice asks once
 * whether anyone wants to know. If not, its callbacks run as if this file did not exist.
 *
 * The fields have no `#`: each slice reads some of them, and V8 takes longer for those that have one.
 */
import type { ExpireMessage, OverrunMessage } from '../../api/channels.js'
import type { WheelStats } from '../../api/stats.js'
import { type LatenessHistogram, nameOf, openLateness } from '../../common/lateness.js'
import type { Kernel } from '../../kernel/kernel.js'
import type { Target } from '../../kernel/target.js'
import { shownOf } from '../../wheel/looks.js'
import { expired, overrun } from './channels.js'

type Callback = ExpireMessage['callback']

interface Measures {
  readonly lateness: LatenessHistogram
  slowest: WheelStats['slowest']
}

export class Watch {
  private readonly wheel: string
  /** Reads the host's clock, in milliseconds: callbacks take time in virtual time too. */
  private readonly now: () => number
  private measures: Measures | undefined
  /** Whether a channel has subscribers in the present slice. */
  private isHeard = false
  /** The slowest callback of the present slice. */
  private slowest: Callback | undefined
  private longest = 0

  constructor(wheel: string, now: () => number) {
    this.wheel = wheel
    this.now = now
  }

  /** Starts to measure. false: ends it, and forgets what was measured. */
  measure(isMeasured: boolean): void {
    if (!isMeasured) this.measures = undefined
    else this.measures ??= { lateness: openLateness(), slowest: undefined }
  }

  /** Called when a slice begins. Returns whether to watch its callbacks. */
  begins(): boolean {
    this.isHeard = expired.hasSubscribers || overrun.hasSubscribers
    this.slowest = undefined
    this.longest = -1
    return this.isHeard || this.measures !== undefined
  }

  /** Runs a due unit of a watched slice. */
  run(kernel: Kernel, unit: number): void {
    const { _fired } = kernel
    const target = kernel._targetOf(unit) as Partial<Target>
    const shown = shownOf(kernel, unit)
    const due = kernel._dueOf(unit)
    const called = kernel._readClock()
    const started = this.now()
    try {
      kernel._run(unit)
    } finally {
      // Not if a map has only ended entries.
      if (kernel._fired !== _fired) {
        const last = shown === undefined ? target._last! : { callback: shown.callback, due }
        this.ran(last.callback as Callback, Math.max(called - last.due, 0), this.now() - started)
      }
    }
  }

  private ran(callback: Callback, lateness: number, duration: number): void {
    const measures = this.measures
    if (measures !== undefined) {
      measures.lateness.add(lateness)
      if (!(measures.slowest && measures.slowest.duration >= duration))
        measures.slowest = { name: nameOf(callback), duration }
    }
    if (this.isHeard && duration > this.longest) {
      this.longest = duration
      this.slowest = callback
    }
    if (!this.isHeard || !expired.hasSubscribers) return
    const message: ExpireMessage = { wheel: this.wheel, callback, lateness, duration }
    expired.publish(message)
  }

  /** Called when a watched slice ends that has overrun its budget, with milliseconds. */
  overran(budget: number, duration: number, callbacks: number): void {
    if (!overrun.hasSubscribers || this.slowest === undefined) return
    const slowest = { callback: this.slowest, duration: this.longest }
    const message: OverrunMessage = { wheel: this.wheel, budget, duration, callbacks, slowest }
    overrun.publish(message)
  }

  get stats(): Pick<WheelStats, 'lateness' | 'slowest'> {
    if (this.measures === undefined) return {}
    const { lateness, slowest } = this.measures
    return { lateness: lateness.read(), ...(slowest && { slowest: { ...slowest } }) }
  }
}
