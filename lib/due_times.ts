/** Times by the units of records. */

/** Of a part: a Map of V8's takes 2^24 entries, and a wheel more timers. */
const UNITS_PER_PART = 2 ** 22

export class DueTimes {
  /** How many there are. */
  size = 0
  private readonly parts: Map<number, number>[] = []

  get(unit: number): number | undefined {
    return this.parts[Math.floor(unit / UNITS_PER_PART)]?.get(unit)
  }

  set(unit: number, due: number): void {
    const at = Math.floor(unit / UNITS_PER_PART)
    while (this.parts.length <= at) this.parts.push(new Map())
    const part = this.parts[at]!
    const before = part.size
    part.set(unit, due)
    this.size += part.size - before
  }

  delete(unit: number): void {
    if (this.parts[Math.floor(unit / UNITS_PER_PART)]?.delete(unit)) this.size--
  }
}
