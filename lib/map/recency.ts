/** The order in which the entries of a TimeoutMap with `max` were last used: a ring of places through place 0. */
import { type Deadlines, grown } from './deadlines.js'

export class Recency {
  private _newer: Int32Array
  private _older: Int32Array

  constructor({ _capacity }: Deadlines) {
    this._newer = new Int32Array(_capacity)
    this._older = new Int32Array(_capacity)
  }

  /** Makes room for `capacity` places. */
  _grow(capacity: number): void {
    this._newer = grown(this._newer, capacity)
    this._older = grown(this._older, capacity)
  }

  /** The place that was used least recently; 0: there is none. */
  get _oldest(): number {
    return this._newer[0]!
  }

  /** Makes a place the newest, also one that is not in the ring. Or takes it out of the ring. */
  _use(place: number, isNewest = true): void {
    const newer = this._newer[place]!
    const older = this._older[place]!
    // Places outside the ring name others, or place 0.
    if (this._newer[older] === place) {
      this._newer[older] = newer
      this._older[newer] = older
    }
    if (!isNewest) return
    const before = this._older[0]!
    this._newer[before] = place
    this._older[place] = before
    this._newer[place] = 0
    this._older[0] = place
  }
}
