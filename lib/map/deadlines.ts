/**
 * When the entries of a TimeoutMap expire. An entry is a number, its place in these columns, so an entry costs no object.
 *
 * Entries wait in lists. All entries of a list were filed for the same delay, so a list is in order:
 *
 *   list 0    the ttl of the map      filed for the whole ttl; an entry moves to another list only if it was touched
 *   list 1+   other delays            filed for the delay, rounded down to its three highest bits; below 8 ms, not rounded
 *
 * `_dues` has the true deadline of each entry, and `_filed` a time before which the entry cannot be due. A touch makes only the
 * true deadline later: one store. When the filed time has come, the entry has expired, or moves to the list for what remains: at
 * most a fifth of the delay before. So a minute takes some five moves, and no operation searches.
 */
import { FOREVER } from '../common/constants.js'

/** In `_dues`: the place has no live entry. */
export const DEAD = -1
/** Delays below this have a list each. That spares the last moves of an entry the logarithm. */
const EXACT = 8
const FIRST_CAPACITY = 16
/** The list for delays of 2^53 is the last. */
const LISTS = EXACT + 1 + 4 * 51
const NO_LIST = -1

/** Copies a column into a longer one. */
export const grown = <A extends Float64Array | Int32Array>(column: A, capacity: number): A => {
  const larger = new (column.constructor as new (length: number) => A)(capacity)
  larger.set(column)
  return larger
}

export class Deadlines {
  /** The deadline of each place in milliseconds; `FOREVER`; or `DEAD`. */
  _dues = new Float64Array(FIRST_CAPACITY)
  /** The next place of the same list; of the last place, `~list`. Places that wait for nothing have other lists here. */
  _next = new Int32Array(FIRST_CAPACITY)
  /** The place before it, or `~list`. 0: the place is in no list. */
  private _previous = new Int32Array(FIRST_CAPACITY)
  /** After an entry has left its list to wait for its callback: its deadline. */
  _filed = new Float64Array(FIRST_CAPACITY)
  /** The first and the last place of each list; 0: the list is empty. */
  private _heads = new Int32Array(1)
  private _tails = new Int32Array(1)
  /** No entry is due before this time. */
  _soonest: number = FOREVER
  /** The number of entries in lists: those that can expire, once all deadlines are set. */
  _listed = 0
  /** The list at which `_firstDue` goes on. */
  private _at = 0

  get _capacity(): number {
    return this._next.length
  }

  /** Makes room for more places. */
  _grow(capacity: number): void {
    this._dues = grown(this._dues, capacity)
    this._previous = grown(this._previous, capacity)
    this._filed = grown(this._filed, capacity)
    this._next = grown(this._next, capacity)
  }

  /**
   * Sets the deadline of an entry. O(1).
   *
   * @param now a time in whole milliseconds, no earlier than that of any call before
   * @param isUsual whether the deadline is `now` plus the ttl of the map
   */
  _set(place: number, due: number, now: number, isUsual: boolean): void {
    this._dues[place] = due
    const isListed = this._previous[place] !== 0
    if (due === FOREVER) {
      if (isListed) this._remove(place)
      return
    }
    // The entry is found in time where it is.
    if (isListed && due >= this._filed[place]!) return
    if (isUsual) this._file(place, due, 0)
    else this._fileRest(place, now)
  }

  /** Takes an entry out of its list, if it is in one. */
  _remove(place: number): void {
    this._file(place, 0, NO_LIST)
  }

  /** The place of an entry that has expired or is dead, and is in a list; 0: there is none. O(1) amortised. */
  _firstDue(now: number): number {
    while (this._soonest <= now) {
      for (; this._at < this._heads.length; this._at++) {
        for (;;) {
          const place = this._heads[this._at]!
          if (place === 0 || this._filed[place]! > now) break
          if (this._dues[place]! <= now) return place
          this._fileRest(place, now)
        }
      }
      this._at = 0
      let least = FOREVER
      for (const place of this._heads) {
        if (place > 0 && this._filed[place]! < least) least = this._filed[place]!
      }
      this._soonest = least
    }
    return 0
  }

  /** Files an entry for the time that remains. */
  private _fileRest(place: number, now: number): void {
    const rest = this._dues[place]! - now
    if (rest === FOREVER) return this._remove(place)
    if (this._heads.length === 1) {
      this._tails = grown(this._tails, LISTS)
      this._heads = grown(this._heads, LISTS)
    }
    if (rest < EXACT) return this._file(place, now + rest, 1 + rest)
    let exponent = Math.floor(Math.log2(rest))
    // The logarithm is rounded.
    if (2 ** exponent > rest) exponent--
    const unit = 2 ** (exponent - 2)
    const units = Math.floor(rest / unit)
    this._file(place, now + units * unit, 1 + EXACT + 4 * (exponent - 3) + units - 4)
  }

  /** Moves an entry to the end of a list, from the list that it is in. */
  private _file(place: number, filed: number, list: number): void {
    const previous = this._previous[place]!
    if (previous !== 0) {
      const next = this._next[place]!
      this._listed--
      this._previous[place] = 0
      if (previous > 0) this._next[previous] = next
      if (next > 0) this._previous[next] = previous
      // No `Math.max`: a stack overflow in it would break the list.
      if (previous < 0) this._heads[~previous] = next & ~(next >> 31)
      if (next < 0) this._tails[~next] = previous & ~(previous >> 31)
    }
    if (list === NO_LIST) return
    const last = this._tails[list]!
    this._listed++
    this._filed[place] = filed
    this._previous[place] = last > 0 ? last : ~list
    this._next[place] = ~list
    if (last > 0) this._next[last] = place
    else this._heads[list] = place
    this._tails[list] = place
    if (filed < this._soonest) this._soonest = filed
  }
}
