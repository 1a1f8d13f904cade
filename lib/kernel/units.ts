/** Looks at the units of a kernel. Not in kernel.ts, so that a page that only sets timers does not load it. */
import { BLOCK_SHIFT, FIRST_BLOCK, INDEX_MASK, LIVE_BIT, USED, unitOfRecord } from '../memory/layout.js'
import { type Kernel, stateOf } from './kernel.js'

/** The units of the timers, and of the interval whose callback runs. O(units). */
export function unitsOf(kernel: Kernel): number[] {
  kernel._settle()
  const words = kernel._core.words
  const found = []
  for (let n = 0; n < words[USED]!; n++) {
    const unit = unitOfRecord(n)
    if ((words[stateOf(unit)]! & LIVE_BIT) !== 0) found.push(unit)
  }
  return found
}

/** The number of the operation that has set a unit. Timers of one tick run in this order. Called after {@link unitsOf}. */
export function orderOf({ _core }: Kernel, unit: number): number {
  const { words } = _core
  const record = FIRST_BLOCK + (unit << 2)
  return (words[record + 3]! >>> 0) * 2 ** 16 + (words[record + 2]! >>> 16)
}

/** The argument of a callback without a handle. */
export const argumentOf = ({ _args }: Kernel, unit: number): unknown =>
  _args[unit >>> BLOCK_SHIFT]?.[unit & INDEX_MASK]

/** The memory of the timers in bytes, without handles and what they refer to. */
export function bytesOf({ _stopped, _core, _targets, _args }: Kernel): number {
  if (_stopped) return 0
  const cells = _targets.concat(_args.filter(Boolean) as unknown[][])
  return cells.reduce((sum, { length }) => sum + length * 8, _core.words.byteLength)
}
