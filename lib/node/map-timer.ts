/** The timer of a TimeoutMap on Node: a record of the wheel whose callbacks are those of the map. */
import { wheelStopped } from '../common/errors.js'
import { CLEAR } from '../common/handle-brand.js'
import type { MapClient, MapTimer, OpenMapTimer } from '../map/map-timer.js'
import { notAWheel } from '../map/options.js'
import { VirtualTimeBackend } from './drivers/virtual-time.js'
import type { Scheduler } from './scheduler/scheduler.js'
import { type Handle, NOT_REFRESHABLE } from './scheduler/timer-target.js'

/** The property of a wheel with its scheduler. */
export const SCHEDULER: unique symbol = Symbol('timeout-wheel.scheduler')

class NodeMapTimer implements MapTimer, Handle {
  readonly _ms = 0
  readonly _order = NOT_REFRESHABLE
  readonly isHidden = true
  readonly _virtual: VirtualTimeBackend | undefined
  readonly #scheduler: Scheduler
  readonly #client: MapClient
  /** The record; 0: the timer is not set. */
  #unit = 0
  /** Whether the record keeps the process alive, and whether it should. */
  #isReferenced = false
  #isHeld = false

  constructor(client: MapClient, scheduler: Scheduler) {
    this.#client = client
    this.#scheduler = scheduler
    const { backend } = scheduler
    this._virtual = backend instanceof VirtualTimeBackend ? backend : undefined
  }

  get _stopped(): boolean {
    return this.#scheduler.stopped
  }

  _now(): number {
    // Virtual time is exact in milliseconds, and in ticks it is not.
    return this._virtual === undefined ? this.#scheduler.host.now() : this._virtual.time
  }

  _set(ms: number): void {
    const scheduler = this.#scheduler
    if (scheduler.stopped) throw wheelStopped()
    if (this.#unit === 0) {
      this.#unit = scheduler.schedule(0, this, ms)
      this.#isReferenced = true
    } else scheduler.schedule(this.#unit, undefined, ms)
    this._hold(this.#isHeld)
  }

  _clear(): void {
    const scheduler = this.#scheduler
    const unit = this.#unit
    if (unit === 0 || scheduler.stopped) return
    scheduler.cancel(unit, this.#isReferenced)
    this.#unit = 0
    if (!this.#isReferenced) scheduler.cancelledUnreferenced()
  }

  _hold(isHeld: boolean): void {
    const scheduler = this.#scheduler
    this.#isHeld = isHeld && !scheduler.isUnref
    if (this.#unit === 0 || scheduler.stopped || this.#isReferenced === this.#isHeld) return
    if (this.#isHeld) scheduler.reference()
    else scheduler.unreference()
    this.#isReferenced = this.#isHeld
  }

  _endRun(hasCallback: boolean): void {
    // Nothing that the program has to run before the next callback.
    if (!hasCallback) this.#scheduler.isUndrained = false
  }

  expire(): void {
    this.#client._run()
  }

  resume(): void {}

  detach(): void {}

  // A map has its entries still after its wheel was cleared.
  set [CLEAR](_wheelIsCleared: true) {}

  get countsWhileRunning(): boolean {
    return false
  }

  get invocation(): Handle['invocation'] {
    return { callback: () => this.#client._run(), args: [] }
  }
}

/** The scheduler of a wheel. @throws TypeError if it is not a wheel */
function schedulerOf(wheel: unknown): Scheduler {
  let scheduler: Scheduler | undefined
  try {
    scheduler = (wheel as { [SCHEDULER]?: Scheduler } | null)?.[SCHEDULER]
  } catch {
    // It inherits from a wheel, or is a proxy of one.
  }
  if (scheduler === undefined) throw notAWheel(wheel)
  return scheduler
}

/** @param openShared opens the shared wheel */
export function mapTimersOn(openShared: () => Scheduler): OpenMapTimer {
  return (client, wheel) => new NodeMapTimer(client, wheel === undefined ? openShared() : schedulerOf(wheel))
}
