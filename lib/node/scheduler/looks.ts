/** What only looks at a wheel: at its counts, its memory, and its pending timers. */
import type { WheelStats } from '../../api/stats.js'
import type { PendingTimer } from '../../api/wheel.js'
import { msOf } from '../../common/ticks.js'
import { BASE_BLOCKS, BLOCK_BYTES, ORDER_NUMBER, RECORDS_PER_BLOCK } from '../../memory/layout.js'
import { dueOf } from './refreshes.js'
import type { Scheduler } from './scheduler.js'
import { type Handle, isGroup } from './timer-target.js'

/** The deadline of a pending timer, in milliseconds since the wheel was made. O(log n) after many refreshes. */
export function deadlineOf(scheduler: Scheduler, unit: number): number {
  scheduler.settledNow()
  return msOf(dueOf(scheduler, unit), scheduler.tick)
}

/** The milliseconds until a pending timer is due; negative if it is late. */
export function remainingOf(scheduler: Scheduler, unit: number): number {
  const now = scheduler.settledNow()
  return msOf(dueOf(scheduler, unit) - now, scheduler.tick)
}

/** The start of a pending timer's delay, in whole milliseconds on the host's clock. */
export function startOf(scheduler: Scheduler, unit: number, handle: Handle): number {
  // Read the clock first, so that repeated reads agree.
  scheduler.settledNow()
  return scheduler.hostOrigin() + Math.round(dueOf(scheduler, unit) * scheduler.tick) - handle._ms
}

/** What the wheel has counted: see totals.ts. */
export function statsOf(scheduler: Scheduler): WheelStats {
  const { totals, pending, fired } = scheduler
  const ofHandles = totals.scheduled + scheduler.scheduled - totals.ownRefreshes
  const members = totals.removed + scheduler.added
  const scheduled = ofHandles - totals.groups + members
  // The timers that became pending by their own runs, and those that ended in them.
  const byRuns =
    totals.reruns + totals.ownRefreshes - totals.droppedRefreshes + totals.clearedRuns + totals.entryRuns
  return {
    pending,
    scheduled,
    fired,
    cancelled: scheduled + byRuns - fired - pending,
    overruns: totals.overruns,
    bytes: bytesOf(scheduler),
    ...scheduler.watch?.stats,
  }
}

/** The memory of the timers, in bytes, without handles and what they refer to. */
function bytesOf({ stopped, targets, targetArguments, backend, log, pool }: Scheduler): number {
  if (stopped) return 0
  const blocks = targets.filter(Boolean).length + targetArguments.filter(Boolean).length
  const { blocks: shared } = backend.core
  return (
    (BASE_BLOCKS + shared) * BLOCK_BYTES + blocks * RECORDS_PER_BLOCK * 8 + log.bytes + (pool?.bytes ?? 0)
  )
}

/** A pending timer, with what decides when it runs: its tick, and its number in the order of its tick. */
interface Ordered {
  readonly value: Omit<PendingTimer, 'remaining'>
  readonly due: number
  readonly order: number
}

/** The number of a pending timer in the order of its tick. */
const orderOf = (scheduler: Scheduler, unit: number): number =>
  scheduler.refreshedHandle(unit)?._order ?? scheduler.words[(unit << 2) + ORDER_NUMBER]!

/** The pending timers, in the order in which they will run. */
export function pendingTimersOf(scheduler: Scheduler): PendingTimer[] {
  if (scheduler.pending === 0) return []
  const now = scheduler.settledNow()
  const isReal = scheduler.backend.virtual === undefined
  const found: Ordered[] = []
  for (const unit of scheduler.pendingUnits()) {
    const target = scheduler.targetOf(unit)!
    if (isGroup(target)) {
      for (const { item, due, order } of target.unexpired())
        found.push({ value: { ...target.invocation, args: [item] }, due, order })
      continue
    }
    if (typeof target === 'object' && target.isHidden) continue
    const value =
      typeof target === 'function'
        ? { callback: target, args: [scheduler.argumentOf(unit)], hasRef: !scheduler.isUnref }
        : target.invocation
    found.push({ value, due: dueOf(scheduler, unit), order: orderOf(scheduler, unit) })
  }
  found.sort((a, b) => a.due - b.due || a.order - b.order)
  return found.map(({ value, due }) => ({
    ...value,
    remaining: msOf(due - now, scheduler.tick),
    // Virtual time lets the process end.
    hasRef: value.hasRef && isReal,
  }))
}
