/** Timers that call a callback, and have no handle. Not in kernel.ts, so that a page that only has handles does not load them. */
import { BLOCK_SHIFT, INDEX_MASK, RECORDS_PER_BLOCK } from '../memory/layout.js'
import type { Kernel } from './kernel.js'
import type { Callbacks } from './target.js'

export const callbacksOf = (kernel: Kernel): Callbacks => (kernel._callbacks ??= openCallbacks(kernel))

function openCallbacks(kernel: Kernel): Callbacks {
  const {
    _args: args,
    _set: set,
    _end: end,
    _unitOf: unitOf,
    _ownerOf: ownerOf,
    _targetOf: targetOf,
  } = kernel
  const isReferenced = !kernel._isUnref
  return {
    _schedule(callback, delay, argument) {
      const unit = set(callback, delay)
      if (argument !== undefined) {
        args[unit >>> BLOCK_SHIFT] ??= new Array(RECORDS_PER_BLOCK)
        args[unit >>> BLOCK_SHIFT]![unit & INDEX_MASK] = argument
      }
      return unit
    },
    _cancel(unit) {
      const cells = args[unit >>> BLOCK_SHIFT]
      const argument = cells?.[unit & INDEX_MASK]
      // First, because a stack overflow can interrupt this call.
      end(unit, isReferenced)
      if (argument !== undefined) cells![unit & INDEX_MASK] = undefined
      return argument
    },
    _find(number) {
      const unit = unitOf(number)
      return unit !== 0 && !ownerOf(unit) && typeof targetOf(unit) === 'function' ? unit : 0
    },
  }
}
