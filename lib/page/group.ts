/**
 * Groups in a page. Here each member has a record of the wheel: members of one tick run in order with all other timers, and no
 * further code is needed for it. Node's groups (node/group/) have one record for all members, which takes a hundred times the code.
 */
import type { TimerGroup, TimerGroupFunction } from '../api/group.js'
import type { UnexpiredTimer } from '../api/wheel.js'
import { checkCallback, checkDelay, checkGroupOptions, checkMember, groupStopped } from '../common/errors.js'
import type { Callback, Scheduler } from './scheduler-types.js'

interface Member<T> {
  readonly _group: Group<T>
  readonly _number: number
  readonly _item: T
  /** The unit of its record. */
  _unit: number
  /** The time of the last add or touch, in ticks, and its order among those of all members. */
  _started: number
  _order: number
}

let lastNumber = 0
let lastOrder = 0

class Group<T> implements TimerGroup<T> {
  declare private readonly _scheduler: Scheduler
  declare readonly _onExpire: (item: T) => unknown
  declare private _ms: number
  declare private _isStopped: boolean | undefined
  /** In the order of adding. */
  declare readonly _members: Map<number, Member<T>>

  /** @param open opens the wheel, after the arguments were checked */
  constructor(onExpire: (item: T) => unknown, delay: number, options: unknown, open: () => Scheduler) {
    checkCallback(onExpire)
    checkDelay(delay)
    checkGroupOptions(options)
    this._scheduler = open()
    this._onExpire = onExpire
    this._ms = delay
    this._members = new Map()
  }

  get size(): number {
    return this._scheduler._stopped ? 0 : this._members.size
  }

  get delay(): number {
    return this._ms
  }

  set delay(delay: number) {
    checkDelay(delay)
    this._ms = delay
    if (this._scheduler._stopped) return
    const members = [...this._members.values()].sort((a, b) => a._order - b._order)
    for (const member of members) this._schedule(member)
  }

  add(item: T): number {
    if (this._isStopped || this._scheduler._stopped) throw groupStopped()
    const member = {
      _group: this,
      _number: ++lastNumber,
      _item: item,
      _unit: 0,
      _started: this._scheduler._readClock(),
      _order: ++lastOrder,
    }
    this._members.set(member._number, member)
    try {
      this._schedule(member)
    } finally {
      if (!member._unit) this._members.delete(member._number)
    }
    return member._number
  }

  touch(number: number): boolean {
    const member = this._find(number)
    if (member) {
      member._started = this._scheduler._readClock()
      member._order = ++lastOrder
      this._schedule(member)
    }
    return !!member
  }

  has(number: number): boolean {
    return !!this._find(number)
  }

  delete(number: number): boolean {
    const member = this._find(number)
    if (!member) return false
    // First: if an interruption skips the next call, the record runs nothing.
    this._members.delete(number)
    this._scheduler._cancel(member._unit)
    return true
  }

  clear(): void {
    for (const number of this._members.keys()) this.delete(number)
  }

  stop(): T[] {
    const left = this._scheduler._stopped ? [] : [...this]
    this.clear()
    this._isStopped = true
    return left
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const { _item } of this._members.values()) yield _item
  }

  private _find(number: number): Member<T> | undefined {
    checkMember(number)
    return this._scheduler._stopped ? undefined : this._members.get(number)
  }

  private _schedule(member: Member<T>): void {
    const { _unit, _started } = member
    member._unit = this._scheduler._schedule(_unit, expire as Callback, this._ms, member, _started)
  }
}

/** What the record of a member runs. */
export function expire({ _group, _number, _item }: Member<unknown>): void {
  const { _onExpire: onExpire } = _group
  if (_group._members.delete(_number)) onExpire(_item)
}

/** Makes `timerGroup`. @param open opens the wheel. @throws Error if it was stopped */
export const timerGroupOn = (open: () => Scheduler): TimerGroupFunction =>
  function timerGroup(onExpire, delay, options) {
    return new Group(onExpire, delay, options, open)
  }

/** Replaces a member of a group, among the timers of a stopped wheel, by its callback and item. */
export function expand(timer: UnexpiredTimer): UnexpiredTimer {
  if (timer.callback !== expire) return timer
  const { _group, _number, _item } = timer.args[0] as Member<unknown>
  _group._members.delete(_number)
  return { ...timer, callback: _group._onExpire as UnexpiredTimer['callback'], args: [_item] }
}
