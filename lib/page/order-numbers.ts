/** The order of a wheel's records in a page. */
import { NEVER, ORDER_NUMBER, unitOfRecord } from '../memory/layout.js'

/**
 * Returns the records of all pending timers in their order.
 *
 * @param used the number of records that were ever taken
 * @param running the record of the running interval, or 0: it does not count as pending
 */
export function pendingUnits(words: Int32Array, used: number, running?: number): number[] {
  const units: number[] = []
  for (let n = 0; n < used; n++) {
    const unit = unitOfRecord(n)
    if (words[unit << 2] !== NEVER && unit !== running) units.push(unit)
  }
  return units.sort((a, b) => words[(a << 2) | ORDER_NUMBER]! - words[(b << 2) | ORDER_NUMBER]!)
}

/** Gives all pending timers order numbers from 0, in their order. Returns the next number. */
export function renumber(words: Int32Array, used: number): number {
  const units = pendingUnits(words, used)
  for (let i = 0; i < units.length; i++) words[(units[i]! << 2) | ORDER_NUMBER] = i
  return units.length
}
