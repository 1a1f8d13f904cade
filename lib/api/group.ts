/** Groups: many timers with one callback and one delay. */

/** Options of a group. */
export interface TimerGroupOptions {
  /** Whether the process may end while members are pending. Default: the option of the wheel. */
  unref?: boolean | undefined
}

/**
 * Timers with one callback and one delay. A member is a timer of the wheel like any other: it has an exact due time, and its
 * place in the order of all timers of the wheel. A touch makes it the last of its tick. `stop()` of the wheel returns the
 * callback and the item of each member.
 *
 * A member takes 37 bytes. A group has room for 32 members or a multiple of that, and keeps the room of its largest size
 * until it is empty.
 */
export interface TimerGroup<T> {
  /**
   * Adds an item. O(1) amortised.
   *
   * @returns the member's number. No other timer of the wheel ever has the same number
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
   * The delay, as in `TimerWheel.group`. A new value applies to later calls of `add` and `touch`. Until its next touch, a
   * member keeps its due time. O(1).
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
   * Makes a group on the shared wheel: timers that share a callback and a delay. See `TimerWheel.group`.
   *
   * @param delay milliseconds from 0 to 2^53 - 1
   */
  <T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T>
}
