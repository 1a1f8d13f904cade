/** The largest number of timers of a wheel. */
import { FOREVER } from '../common/constants.js'
import { wheelLimit } from '../common/errors.js'
import type { Kernel } from '../kernel/kernel.js'

export function limit(kernel: Kernel, maxPending: number, name: string): void {
  if (maxPending === FOREVER) return
  kernel._refuse = (taken) => {
    if (taken >= maxPending) throw wheelLimit(maxPending, name)
  }
}
