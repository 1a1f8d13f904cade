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
    this._newer = grown(this._newer, new Int32Array(capacity))
    this._older = grown(this._older, new Int32Array(capacity))
  }

  /** The place that was used least recently; 0: there is none. */
  get _oldest(): number {
    return this._newer[0]!
  }

  /** Adds a place as the newest. Calls nothing. */
  _add(place: number): void {
    const before = this._older[0]!
    this._newer[before] = place
    this._older[place] = before
    this._newer[place] = 0
    this._older[0] = place
  }

  /** Removes a place. A second call does nothing. Calls nothing. */
  _remove(place: number): void {
    const newer = this._newer[place]!
    const older = this._older[place]!
    this._newer[older] = newer
    this._older[newer] = older
    this._newer[place] = this._older[place] = place
  }

  /** Makes a place the newest. */
  _use(place: number): void {
    this._remove(place)
    this._add(place)
  }
}
