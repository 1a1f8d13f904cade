/** Rings of places. Some of the places are no entries but heads, and the ring of a head is a list. */

/** The length of new columns. */
export const CAPACITY = 80

/** Copies a column into one that is half as long again. Its constructor rounds the length down. */
export const grown = <A extends Float64Array | Int32Array>(column: A): A => {
  const larger = new (column.constructor as new (length: number) => A)(1.5 * column.length)
  larger.set(column)
  return larger
}

export class Rings {
  /** The places before and after each place in its ring; the place itself: it is alone. */
  _next = new Int32Array(CAPACITY)
  _previous = new Int32Array(CAPACITY)

  /** Lets a place be alone. There is room for the places before it. */
  _open(place: number): void {
    if (place === this._previous.length) {
      this._next = grown(this._next)
      this._previous = grown(this._previous)
    }
    this._next[place] = this._previous[place] = place
  }

  /**
   * Moves a place from its ring to the end of the list of `head`. If the head is the place itself, the place is alone then. An
   * interruption changes all or nothing: no call is between the stores.
   */
  _move(place: number, head: number): void {
    const { _next: next, _previous: previous } = this
    const after = next[place]!
    const before = previous[place]!
    next[before] = after
    previous[after] = before
    next[place] = previous[place] = place
    const last = previous[head]!
    next[last] = previous[head] = place
    previous[place] = last
    next[place] = head
  }
}
