/** Groups: many timers with one callback and one delay. */

/** Options of a group. */
export interface TimerGroupOptions {
  /** Whether the process may end while members are pending. Default: the option of the wheel. */
  unref?: boolean | undefined
}

/**
 * Timers with one callback and one delay. Members run within the budget of the wheel, by the ticks at which they are due, and
 * in one tick by their last touches. Other timers of the same tick run before, after or between them. If a wheel is late, a
 * group can run all members that are due one after the other. `stop()` of the wheel returns the callback and the item of each.
 *
 * On Node a member takes 7 bytes and an array element, in a page a record of the wheel. A group keeps the memory of its
 * largest size until it is empty.
 *
 * A member can run later than a timer of `schedule`: by less than 1 ms if the delay is not a whole number, and on Node by up
 * to 1/32,768 of a delay above 24 days.
 */
export interface TimerGroup<T> {
  /**
   * Adds an item. O(1) amortised.
   *
   * @returns the member's number. No other member of this group ever has the same number
   * @throws RangeError with code `ERR_WHEEL_FULL` if there is no memory for the member, or with code `ERR_WHEEL_LIMIT` if as
   *   many timers are pending as the option `maxPending` of the wheel allows
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()` of the group or of its wheel
   */
  add(item: T): number
  /**
   * Starts the delay of a member anew. O(1).
   *
   * @returns whether the group has such a member
   * @throws TypeError if `member` is not a number
   */
  touch(member: number): boolean
  /** Whether the group has such a member. O(1). @throws TypeError if `member` is not a number */
  has(member: number): boolean
  /** Removes a member. O(1). Returns and throws as `touch` does. */
  delete(member: number): boolean
  /** Removes all members. O(n). */
  clear(): void
  /**
   * Removes all members for good, and returns their items, in no defined order. Later `add` throws, and `stop()` returns an
   * empty array. O(n).
   */
  stop(): T[]
  /** The number of members. */
  readonly size: number
  /**
   * The delay, as in `TimerWheel.group`. A new value applies to all members, from the last `add` or `touch` of each. Then
   * members run in the order of their last touches, in no defined order with other timers of the same tick. O(1); in a page
   * O(n log n).
   *
   * @throws TypeError if the value is not a number, RangeError if it is out of range
   */
  delay: number
  /** The items, in no defined order. If members are added during the iteration, it can leave them out. O(n). */
  [Symbol.iterator](): IterableIterator<T>
}

/** The type of `timerGroup`. */
export interface TimerGroupFunction {
  /**
   * Makes a group on the shared wheel: see `TimerWheel.group`.
   *
   * @param delay milliseconds from 0 to 2^53 - 1
   */
  <T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T>
}
