/**
 * When the entries of a TimeoutMap expire. An entry is a number, its place in these columns, so an entry costs no object.
 *
 * Entries wait in lists. All entries of a list were filed for the same delay, so a list is in order:
 *
 *   list 0      the ttl of the map      filed for the whole ttl; an entry moves to another list only if it was touched
 *   list 1+     other delays            filed for the delay, rounded down to its two highest bits
 *   ENDED ...   no delay                entries that are over, see entries.ts
 *
 * `_dues` has the true deadline of each entry, and `_filed` a time before which the entry cannot be due. A touch makes only the
 * true deadline later: one store. When the filed time has come, the entry has expired, or moves to the list for what remains: at
 * most a third of the delay before. So a minute takes some ten moves, and no operation searches.
 */
import { FOREVER } from '../common/constants.js'
import { CAPACITY, grown, Rings } from './rings.js'

/** In `_dues`: the place has no live entry. */
export const DEAD = Number.NEGATIVE_INFINITY
/** The list of the entries with the ttl of the map. */
const USUAL = 0
/** The longest delay for which an entry is filed. The lists of delays are those before ENDED. */
const LONGEST = 2 ** 31 - 1
/** The list of the entries that have ended, and whose keys are in the Map. */
export const ENDED = 63
/** The lists of the entries that wait for their callbacks: for `onExpire` first, and for `dispose` alone. */
export const UNTOLD = 64
export const TOLD = 65
/** The first place of an entry. */
export const FIRST = 66

export class Deadlines extends Rings {
  /** The deadline of each place in milliseconds; `FOREVER`; or `DEAD`. */
  _dues = new Float64Array(CAPACITY).fill(DEAD)
  /** Of a place in a list: the time of the last call of `_file`. */
  _filed = new Float64Array(CAPACITY).fill(FOREVER)
  /** No entry is due before this time. */
  _soonest: number = FOREVER
  /** The list at which `_firstDue` goes on. */
  _at = 0

  constructor() {
    super()
    for (let list = 0; list < FIRST; list++) this._open(list)
  }

  override _open(place: number): void {
    super._open(place)
    if (place === this._dues.length) {
      this._filed = grown(this._filed)
      this._dues = grown(this._dues)
    }
  }

  /** Moves an entry to the end of a list. @param list the place itself: the entry is in no list */
  _file(place: number, list: number, time: number): void {
    this._move(place, list)
    if (time === FOREVER) return
    this._filed[place] = time
    if (time < this._soonest) this._soonest = time
  }

  /**
   * Sets the deadline of an entry. O(1).
   *
   * @param now a time in whole milliseconds, no earlier than that of any call before
   * @param isUsual whether the deadline is `now` plus the ttl of the map
   */
  _setDue(place: number, due: number, now: number, isUsual: boolean): void {
    this._dues[place] = due
    if (due === FOREVER) this._file(place, place, FOREVER)
    // Otherwise the entry is found in time where it is.
    else if (this._next[place] === place || due < this._filed[place]!) {
      if (isUsual) this._file(place, USUAL, due)
      else this._fileRest(place, now)
    }
  }

  /** Files an entry for the time that remains. */
  _fileRest(place: number, now: number): void {
    const rest = Math.min(this._dues[place]! - now, LONGEST)
    const bits = Math.max(30 - Math.clz32(rest), 0)
    const units = rest >> bits
    this._file(place, 1 + 2 * bits + units, now + (units << bits))
  }

  /** The place of an entry that has expired, and is in a list; 0: there is none. O(1) amortised. */
  _firstDue(now: number): number {
    while (this._soonest <= now) {
      for (; this._at < ENDED; this._at++) {
        for (let place = this._next[this._at]!; this._filed[place]! <= now; place = this._next[this._at]!) {
          if (this._dues[place]! <= now) return place
          this._fileRest(place, now)
        }
      }
      this._at = 0
      let least: number = FOREVER
      for (let list = 0; list < ENDED; list++) least = Math.min(least, this._filed[this._next[list]!]!)
      this._soonest = least
    }
    return 0
  }
}
