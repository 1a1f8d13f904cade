/** Finds the greatest value noted under any key up to a given key, with a Fenwick tree of maxima. */
export class PrefixMaximum {
  readonly #tree: Int32Array

  constructor(keys: number) {
    this.#tree = new Int32Array(keys + 1).fill(-1)
  }

  note(key: number, value: number): void {
    for (let i = key + 1; i < this.#tree.length; i += i & -i) this.#tree[i] = Math.max(this.#tree[i]!, value)
  }

  upTo(key: number): number {
    let maximum = -1
    for (let i = key + 1; i > 0; i -= i & -i) maximum = Math.max(maximum, this.#tree[i]!)
    return maximum
  }
}
