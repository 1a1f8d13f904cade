/** What a wheel does when numbers come to an end: order numbers after a billion operations, ticks after weeks without a timer. */
import { MAX_ADVANCE, NOW, ORDER_NUMBER, UNFINISHED } from '../../memory/layout.js'
import { LAGS } from './far-deadlines.js'
import type { Records } from './records.js'
import { RefreshLog } from './refresh-log.js'
import { applyRefresh } from './refreshes.js'

/** A wheel that lags by more has to catch up. */
export const MAX_LAG = 2 ** 29

/** A word that holds an order number. */
interface Numbered {
  readonly words: Int32Array
  readonly at: number
  /** Whether it belongs to a member of a group, whose time is in the log. */
  readonly isMember: boolean
}

/** Renumbers the pending timers and members from 0, in their order. Runs once in a billion operations; O(n log n). */
export function renumber(timers: Records): void {
  // First, all refreshed handles get their true deadlines, so that no handle has a number.
  for (const unit of timers.pendingUnits()) {
    const handle = timers.refreshedHandle(unit)
    if (handle !== undefined && handle._order < timers.unlogged) applyRefresh(timers, unit, handle)
  }
  const { words, totals } = timers
  const numbered: Numbered[] = []
  for (const unit of timers.pendingUnits()) {
    numbered.push({ words, at: (unit << 2) + ORDER_NUMBER, isMember: false })
  }
  for (const group of timers.groupsOfPending()) {
    group.forgetOrder()
    for (const place of group.places()) numbered.push({ words: group.orders, at: place, isMember: true })
  }
  numbered.sort((a, b) => a.words[a.at]! - b.words[b.at]!)
  const former = timers.log
  const log = new RefreshLog()
  numbered.forEach(({ words, at, isMember }, order) => {
    if (isMember) log.append(order, former.timeOf(words[at]!))
  })
  for (let order = 0; order < numbered.length; order++) numbered[order]!.words[numbered[order]!.at] = order
  timers.log = log
  totals.scheduled += timers.scheduled
  totals.removed += timers.removed
  timers.added -= timers.removed
  timers.scheduled = timers.removed = 0
  timers.order = numbered.length
  timers.unlogged = timers.order
  timers.lastRefresh = -1
  // The next operation opens an epoch, which starts from these numbers.
  timers.epochEnd = 0
}

/** Advances a wheel that had no timers for long, before the ticks wrap past it. */
export function catchUp(timers: Records): void {
  const now = Math.floor(timers.reals[NOW]!)
  while (timers.advanced < now) {
    const target = Math.min(timers.advanced + MAX_ADVANCE, now)
    do timers.backend.core.advance(target)
    while (timers.words[UNFINISHED] !== 0)
    timers.advanced = target
  }
  timers.mode &= ~LAGS
}
