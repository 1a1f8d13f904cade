/**
 * Watches the callbacks of one wheel: for `{ measure: true }`, and for the subscribers of its channels. Each slice asks once
 * whether anyone wants to know. If not, its callbacks run as if this file did not exist.
 */
import type { ExpireMessage, OverrunMessage } from '../../api/channels.js'
import type { WheelStats } from '../../api/stats.js'
import { type LatenessHistogram, nameOf, openLateness } from '../../common/measures.js'
import type { SliceWatch } from '../scheduler/runs.js'
import type { Callback } from '../scheduler/timer-target.js'
import { type Channels, openChannels } from './channels.js'

interface Measures {
  readonly lateness: LatenessHistogram
  slowest: WheelStats['slowest']
}

export class Watch implements SliceWatch {
  readonly #wheel: string
  #measures: Measures | undefined
  #channels: Channels | undefined
  /** The slowest callback of the present slice. */
  #slowest: Callback | undefined
  #longest = 0

  constructor(wheel: string, isMeasured: boolean) {
    this.#wheel = wheel
    this.measure(isMeasured)
  }

  /** Starts to measure, or ends it and forgets what was measured. */
  measure(isMeasured: boolean): void {
    if (!isMeasured) this.#measures = undefined
    else this.#measures ??= { lateness: openLateness(), slowest: undefined }
  }

  begins(): boolean {
    const channels = openChannels()
    const hears =
      channels !== undefined && (channels.expire.hasSubscribers || channels.overrun.hasSubscribers)
    this.#channels = hears ? channels : undefined
    this.#slowest = undefined
    this.#longest = -1
    return hears || this.#measures !== undefined
  }

  ran(callback: Callback, lateness: number, duration: number): void {
    const measures = this.#measures
    if (measures !== undefined) {
      measures.lateness.add(lateness)
      if (!(measures.slowest && measures.slowest.duration >= duration))
        measures.slowest = { name: nameOf(callback), duration }
    }
    if (this.#channels !== undefined && duration > this.#longest) {
      this.#longest = duration
      this.#slowest = callback
    }
    const { expire } = this.#channels ?? {}
    if (expire?.hasSubscribers) {
      const message: ExpireMessage = { wheel: this.#wheel, callback, lateness, duration }
      expire.publish(message)
    }
  }

  overran(budget: number, duration: number, callbacks: number): void {
    const { overrun } = this.#channels ?? {}
    if (!overrun?.hasSubscribers || this.#slowest === undefined) return
    const slowest = { callback: this.#slowest, duration: this.#longest }
    const message: OverrunMessage = { wheel: this.#wheel, budget, duration, callbacks, slowest }
    overrun.publish(message)
  }

  get stats(): Pick<WheelStats, 'lateness' | 'slowest'> {
    if (this.#measures === undefined) return {}
    const { lateness, slowest } = this.#measures
    return { lateness: lateness.read(), ...(slowest && { slowest: { ...slowest } }) }
  }
}
