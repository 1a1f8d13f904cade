/** The iterators of a TimeoutMap. They behave as those of Map: an ended loop does not close them. */

type Iterate = <T>(next: () => IteratorResult<T>) => IterableIterator<T>

/** Makes the class of iterators when it is first needed, so that bundlers can leave it out. */
export function iterators(): Iterate {
  class TimeoutMapIterator<T> implements Iterator<T> {
    readonly #next: () => IteratorResult<T>

    constructor(next: () => IteratorResult<T>) {
      this.#next = next
    }

    next(): IteratorResult<T> {
      return this.#next()
    }

    get [Symbol.toStringTag](): string {
      return 'TimeoutMap Iterator'
    }
  }
  // It has Symbol.iterator, and the helpers of the runtime.
  const ofAll: object = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))
  Object.setPrototypeOf(TimeoutMapIterator.prototype, ofAll)
  return (next) => new TimeoutMapIterator(next) as unknown as IterableIterator<never>
}
