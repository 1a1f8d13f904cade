/** Ends a kernel for good. Not in kernel.ts, because the shared wheel of a page is never stopped. */
import { wheelStopped } from '../common/errors.js'
import type { Kernel } from './kernel.js'

/** The caller tells the targets. @param name that of the wheel */
export function stop(kernel: Kernel, name: string): void {
  kernel._stopped = true
  kernel._refuse = () => {
    throw wheelStopped(name)
  }
  // The interval whose callback runs ends with this run.
  kernel._again += kernel._pending() - kernel._taken()
  kernel._ran()
  kernel._core._close()
  kernel._targets.length = kernel._args.length = 0
  kernel._owned = undefined
}
