/** Reads the targets of due units ahead. Not in kernel.ts, so that pages, whose callbacks take longer than a cache miss, do not load it. */
import { BLOCK_SHIFT, EXPIRATIONS, INDEX_MASK } from '../memory/layout.js'
import { AHEAD } from './constants.js'
import type { Kernel } from './kernel.js'
import type { Target } from './target.js'

/**
 * Lets a kernel read the targets of the next expirations. Each is a cache miss or two, and in this short loop the processor waits for many
 * of them at once. Between callbacks it would wait for each.
 */
export function readAhead(kernel: Kernel): void {
  const { _words: words, _targets: targets, _ownerOf: ownerOf } = kernel
  kernel._readAhead = (from, to) => {
    if (to - from <= 2) return to
    const end = Math.min(to, from + AHEAD)
    let sum = 0
    for (let i = from; i < end; i++) {
      const unit = words()[EXPIRATIONS + i]!
      const target = targets[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK]
      // The items of owners are the program's.
      if (typeof target === 'object' && ownerOf(unit) === undefined) sum += (target as Target)._state
    }
    kernel._seen = sum | 0
    return end
  }
}
