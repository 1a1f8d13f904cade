/** The order of a wheel's records in a page. */
import { NEVER, ORDER_NUMBER, USED, unitOfRecord } from '../memory/layout.js'

/** Returns the records of all pending timers. @param running the record of the running interval: it does not count as pending */
export function pendingUnits(words: Int32Array, running?: number): number[] {
  const units: number[] = []
  for (let n = 0; n < words[USED]!; n++) {
    const unit = unitOfRecord(n)
    if (words[unit << 2] !== NEVER && unit !== running) units.push(unit)
  }
  return units
}

/** Returns the same in the order in which the timers were set. */
export function unitsInOrder(words: Int32Array, running?: number): number[] {
  const units = pendingUnits(words, running)
  return units.sort((a, b) => words[(a << 2) | ORDER_NUMBER]! - words[(b << 2) | ORDER_NUMBER]!)
}

/** Gives all pending timers order numbers from 0, in their order. Returns the next number. */
export function renumber(words: Int32Array): number {
  const units = unitsInOrder(words)
  for (let i = 0; i < units.length; i++) words[(units[i]! << 2) | ORDER_NUMBER] = i
  return units.length
}
