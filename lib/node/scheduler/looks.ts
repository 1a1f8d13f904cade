/** What only looks at a wheel: at its counts, its memory, and its pending timers. */
import type { WheelStats } from '../../api/stats.js'
import type { Timeout } from '../../api/timeout.js'
import type { UnexpiredTimer } from '../../api/wheel.js'
import { HANDLE_BRAND } from '../../common/handle-brand.js'
import { msOf } from '../../common/ticks.js'
import { BASE_BLOCKS, BLOCK_BYTES, ORDER_NUMBER, RECORDS_PER_BLOCK } from '../../memory/layout.js'
import { idOf } from './id-timers.js'
import { pendingUnits } from './records.js'
import { dueOf } from './refreshes.js'
import type { Scheduler } from './scheduler.js'
import { type Handle, isGroup } from './timer-target.js'

/** The deadline of a pending timer, in milliseconds since the wheel was made. O(log n) after many refreshes. */
export function deadlineOf(scheduler: Scheduler, unit: number): number {
  return msOf(dueOf(scheduler, unit, scheduler.settledNow()), scheduler.tick)
}

/** The milliseconds until a pending timer is due; negative if it is late. */
export function remainingOf(scheduler: Scheduler, unit: number): number {
  const now = scheduler.settledNow()
  return msOf(dueOf(scheduler, unit, now) - now, scheduler.tick)
}

/** The start of a pending timer's delay, in whole milliseconds on the host's clock. */
export function startOf(scheduler: Scheduler, unit: number, handle: Handle): number {
  // Read the clock first, so that repeated reads agree.
  const now = scheduler.settledNow()
  return scheduler.hostOrigin() + Math.round(dueOf(scheduler, unit, now) * scheduler.tick) - handle._ms
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
    refreshed: totals.operations + scheduler.order - ofHandles - members - totals.reruns - totals.mapMoves,
    slices: totals.slices,
    wakeUps: totals.wakeUps,
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
interface Ordered<T> {
  readonly value: T
  readonly due: number
  readonly order: number
}

/** Sorts timers into the order in which they will run. */
const inOrder = <T>(timers: Ordered<T>[]): Ordered<T>[] =>
  timers.sort((a, b) => a.due - b.due || a.order - b.order)

/** The number of a pending timer in the order of its tick. */
const orderOf = (scheduler: Scheduler, unit: number): number =>
  scheduler.refreshedHandle(unit)?._order ?? scheduler.words[(unit << 2) + ORDER_NUMBER]!

/** The handles and ids of the pending timers, in the order in which they will run. Members of groups have neither. */
export function handlesAndIds(scheduler: Scheduler): (Timeout | number)[] {
  if (scheduler.pending === 0) return []
  const now = scheduler.settledNow()
  const found: Ordered<Timeout | number>[] = []
  for (const unit of pendingUnits(scheduler)) {
    const target = scheduler.targetOf(unit)!
    const value =
      typeof target === 'function'
        ? idOf(scheduler, unit)
        : HANDLE_BRAND in target && (target as unknown as Timeout)
    if (value) found.push({ value, due: dueOf(scheduler, unit, now), order: orderOf(scheduler, unit) })
  }
  return inOrder(found).map(({ value }) => value)
}

/** The pending timers, in the order in which they would have run. */
export function unexpired(scheduler: Scheduler): UnexpiredTimer[] {
  if (scheduler.pending === 0) return []
  const now = scheduler.settledNow()
  const left: Ordered<Omit<UnexpiredTimer, 'remaining'>>[] = []
  for (const unit of pendingUnits(scheduler)) {
    const target = scheduler.targetOf(unit)!
    if (isGroup(target)) {
      for (const { item, due, order } of target.unexpired()) {
        left.push({ value: { ...target.invocation, args: [item] }, due, order })
      }
      continue
    }
    if (typeof target === 'object' && target.isHidden) continue
    const value =
      typeof target === 'function'
        ? { callback: target, args: [scheduler.argumentOf(unit)] }
        : target.invocation
    left.push({ value, due: dueOf(scheduler, unit, now), order: orderOf(scheduler, unit) })
  }
  return inOrder(left).map(({ value, due }) => ({ ...value, remaining: msOf(due - now, scheduler.tick) }))
}
