/** The timer of a TimeoutMap on Node: it can keep the process alive, and tells what a wheel measures. */
import { UNREFERENCED } from '../../common/constants.js'
import { reference, unreference } from '../../kernel/references.js'
import { ENDED, TOLD } from '../../map/deadlines.js'
import type { MapClient } from '../../map/map-timer.js'
import { WheelMapTimer } from '../../wheel/map-timer.js'
import type { Wheel } from '../../wheel/wheel.js'

export class NodeMapTimer extends WheelMapTimer {
  _last = { callback: undefined as unknown, due: 0 }
  declare _hold?: (next: Int32Array) => void

  /** @param holds whether the map keeps the process alive */
  constructor(client: MapClient, wheel: Wheel, holds: boolean) {
    super(client, wheel)
    if (holds) this._hold = this.#holdFor
  }

  #holdFor(next: Int32Array): void {
    let isHeld = false
    for (let list = 0; list <= TOLD; list++) isHeld ||= list !== ENDED && next[list] !== list
    if (!this._state === isHeld) return
    if (!this._unit) this._state = isHeld ? 0 : UNREFERENCED
    else if (isHeld) reference(this._kernel, this)
    else unreference(this._kernel, this)
  }

  override _countRun(due?: number, callback?: unknown): void {
    super._countRun(due)
    if (due !== undefined) this._last = { callback, due: due + this._kernel._origin }
  }
}
