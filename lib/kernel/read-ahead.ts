/** Reads the targets of due units ahead. Pages, whose callbacks take longer than a cache miss, do not. */
import { BLOCK_SHIFT, EXPIRATIONS, EXPIRED, INDEX_MASK } from '../memory/layout.js'
import { AHEAD, SPAN_SHIFT } from './constants.js'
import type { Kernel } from './kernel.js'
import type { Target } from './target.js'

/**
 * Reads the targets of some expirations of a kernel. Each is a cache miss or two or three: its cell, and the lines of the object. In short
 * loops the processor waits for many of them at once. Between callbacks it would wait for each.
 *
 * @param from the index of the first
 * @returns the index after the last
 */
export function readAhead(
  { _core: { words }, _targets: targets, _owned: owned }: Kernel,
  from: number,
): number {
  const end = Math.min(words[EXPIRED]!, from + AHEAD)
  const bySpan = owned?._bySpan
  let sum = 0
  // No cell is undefined. But only a comparison with undefined does not read the object.
  for (let i = from; i < end; i++) {
    const unit = words[EXPIRATIONS + i]!
    if (targets[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK] === undefined) sum++
  }
  for (let i = from; i < end; i++) {
    const unit = words[EXPIRATIONS + i]!
    // The items of owners are the program's.
    if (bySpan !== undefined && bySpan[unit >>> SPAN_SHIFT] !== undefined) continue
    const target = targets[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK]
    // The type lies at the start of the object, and the state near its end.
    if (typeof target === 'object') sum += (target as Target)._state
  }
  // The sum is never below 0. If nothing used it, the compiler would drop the reads.
  return sum < 0 ? from : end
}
