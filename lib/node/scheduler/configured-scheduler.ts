/**
 * The scheduler of a wheel with the option `maxPending` or `unref`. It is a class of its own, so that other wheels pay nothing
 * for these options.
 */
import type { CheckedOptions } from '../../common/checks.js'
import { wheelLimit } from '../../common/errors.js'
import { REFERENCED, UNREFERENCED } from '../../memory/layout.js'
import type { OpenBackend } from '../drivers/backend.js'
import type { Host } from '../host/node-host.js'
import { Scheduler } from './scheduler.js'
import type { Callback, TimerTarget } from './timer-target.js'

export class ConfiguredScheduler extends Scheduler {
  readonly #maxPending: number
  override readonly isUnref: boolean

  constructor(
    open: OpenBackend,
    host: Host,
    { tick, budget, maxPending, unref }: Omit<CheckedOptions, 'driver' | 'asyncContext'>,
  ) {
    super(open, host, tick, budget)
    this.#maxPending = maxPending
    this.isUnref = unref
  }

  override checkRoom(): void {
    // An interval keeps its room while its callback runs.
    const kept = this.runningInterval?.keepsRoom ? 1 : 0
    if (this.pending + kept >= this.#maxPending) throw wheelLimit(this.#maxPending, this.name)
  }

  override schedule(unit: number, target: TimerTarget | undefined, ms: number): number {
    // The running interval, which its callback refreshes, takes its own room.
    if (unit === 0 && !(target === this.runningInterval && this.runningInterval?.keepsRoom)) this.checkRoom()
    return super.schedule(unit, target, ms)
  }

  override scheduleId(callback: Callback, argument: unknown, ms: number): number {
    const id = super.scheduleId(callback, argument, ms)
    if (!this.isUnref) return id
    const { words } = this
    words[REFERENCED] = words[REFERENCED]! - 1
    words[UNREFERENCED] = words[UNREFERENCED]! + 1
    if (words[REFERENCED] === 0) this.backend.idle()
    return id
  }

  override cancelId(unit: number): void {
    super.cancelId(unit, !this.isUnref)
  }
}
