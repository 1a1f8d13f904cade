/** The timer of a TimeoutMap on Node: it can keep the process alive, and tells what a wheel measures. */
import { UNREFERENCED } from '../../common/constants.js'
import { reference, unreference } from '../../kernel/references.js'
import type { MapClient } from '../../map/map-timer.js'
import { WheelMapTimer } from '../../wheel/map-timer.js'
import type { Wheel } from '../../wheel/wheel.js'

export class NodeMapTimer extends WheelMapTimer {
  _last = { callback: undefined as unknown, due: 0 }
  readonly #holds: boolean

  /** @param holds whether the map keeps the process alive */
  constructor(client: MapClient, wheel: Wheel, holds: boolean) {
    super(client, wheel)
    this.#holds = holds
  }

  _hold(isNeeded: boolean): void {
    const isHeld = isNeeded && this.#holds
    if (!this._state === isHeld) return
    if (!this._unit) this._state = isHeld ? 0 : UNREFERENCED
    else if (isHeld) reference(this._kernel, this)
    else unreference(this._kernel, this)
  }

  override _endRun(due?: number, callback?: unknown): void {
    super._endRun(due)
    if (due !== undefined) this._last = { callback, due: due + this._kernel._origin }
  }
}
