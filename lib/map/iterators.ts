/** The iterators of a TimeoutMap. They behave as those of Map: an ended loop does not close them. */

export type Pick<K, T> = (key: K, place: number) => T
export type Iterate = <K, T>(
  places: Iterator<[K, number]>,
  isLive: (place: number) => boolean,
  pick: Pick<K, T>,
) => IterableIterator<T>

/** Makes the class of iterators when it is first needed, so that bundlers can leave it out. */
export function iterators(): Iterate {
  class TimeoutMapIterator<K, T> implements Iterator<T> {
    readonly #places: Iterator<[K, number]>
    readonly #isLive: (place: number) => boolean
    readonly #pick: Pick<K, T>

    constructor(...[places, isLive, pick]: Parameters<typeof iterate<K, T>>) {
      this.#places = places
      this.#isLive = isLive
      this.#pick = pick
    }

    next(): IteratorResult<T> {
      for (;;) {
        const { value, done } = this.#places.next()
        if (done) return { value: undefined, done }
        const [key, place] = value
        if (this.#isLive(place)) return { value: this.#pick(key, place), done: false }
      }
    }

    get [Symbol.toStringTag](): string {
      return 'TimeoutMap Iterator'
    }
  }
  // It has Symbol.iterator, and the helpers of the runtime.
  const ofAll: object = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))
  Object.setPrototypeOf(TimeoutMapIterator.prototype, ofAll)
  const iterate: Iterate = (places, isLive, pick) =>
    new TimeoutMapIterator(places, isLive, pick) as unknown as IterableIterator<never>
  return iterate
}
