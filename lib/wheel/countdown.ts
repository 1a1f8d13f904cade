/** The timers of signals and of `withTimeout`. The program does not get them. */
import { UNREFERENCED } from '../common/constants.js'
import type { Kernel } from '../kernel/kernel.js'
import type { Shown, Target } from '../kernel/target.js'
import type { Countdown, StartCountdown } from './timeout-signal.js'

/** What the timers of the program need of a kernel. lib/workerd has another implementation, without the optional parts. */
export interface TimerKernel extends Partial<Pick<Kernel, '_keep' | '_ran' | '_stopped' | '_isUnref'>> {
  _readClock(): number
  readonly _origin: number
  _set(target: Target, delay: number, isReferenced?: boolean): number
  _move(unit: number, delay: number): void
  _moveTo(unit: number, due: number): void
  _end(unit: number, isReferenced: boolean): void
  _isRunning(unit: number): boolean
  _dueOf(unit: number): number
}

export class WheelCountdown implements Target, Countdown {
  /** 0: the timer is over. */
  private _unit: number
  readonly _state: number
  private readonly _callback: () => void
  readonly _argument: unknown
  private readonly _kernel: TimerKernel

  constructor(kernel: TimerKernel, callback: () => void, ms: number, argument: unknown, unref: boolean) {
    this._kernel = kernel
    this._callback = callback
    this._argument = argument
    this._state = unref ? UNREFERENCED : 0
    this._unit = kernel._set(this, ms, !unref)
  }

  _clear(): void {
    const unit = this._unit
    this._unit = 0
    if (unit) this._kernel._end(unit, !this._state)
  }

  _refresh(ms: number): void {
    if (this._unit) this._kernel._move(this._unit, ms)
  }

  _expire(unit: number): void {
    // Otherwise an interrupted call has left this unit behind.
    const isWhole = unit === this._unit
    this._unit = unit
    this._clear()
    if (!isWhole) return
    this._callback()
  }

  _cancel(): void {
    this._clear()
  }

  _forget(): void {
    this._unit = 0
  }

  get _shown(): Shown {
    return { callback: this._callback, args: [this._argument], hasRef: !this._state }
  }
}

/** @param open returns the kernel of the timers */
export const countdownsOn =
  (open: () => TimerKernel): StartCountdown =>
  (callback, delay, argument, unref) =>
    new WheelCountdown(open(), callback, delay, argument, unref)
