/**
 * Groups in a page. Here each member has a record of the wheel: members of one tick run in order with all other timers, and no
 * further code is needed for it. Node's groups (node/group/) have one record for all members, which takes a hundred times the code.
 */
import type { TimerGroup, TimerGroupFunction } from '../api/group.js'
import { checkCallback, checkDelay, checkGroupOptions, checkMember } from '../common/checks.js'
import { groupStopped } from '../common/errors.js'
import type { Handle, TimerScheduler } from './scheduler-types.js'

let lastNumber = 0
let lastOrder = 0

export class Member<T> implements Handle {
  declare private readonly _group: Group<T>
  declare readonly _number: number
  declare readonly _item: T
  _unit = 0
  /** The time of the last add or touch, in ticks, and its order among those of all members. */
  declare _started: number
  declare _order: number

  constructor(group: Group<T>, item: T) {
    this._group = group
    this._number = ++lastNumber
    this._item = item
  }

  get _callback() {
    return this._group._onExpire
  }

  get _args() {
    return [this._item]
  }

  _expire(): void {
    const { _callback: onExpire, _item } = this
    this._group._end(this, 1)
    onExpire(_item)
  }

  _end(): void {}

  _cancel(): void {
    this._group._end(this)
  }

  /** Called when the wheel was stopped. */
  _noteNumber(): void {
    this._group._members.delete(this._number)
  }
}

class Group<T> implements TimerGroup<T> {
  declare private readonly _scheduler: TimerScheduler
  declare readonly _onExpire: (item: T) => unknown
  declare private _ms: number
  declare private _isStopped: boolean | undefined
  /** Whether an interrupted call can have left a member without a record. */
  declare private _isUnsure: boolean | undefined
  /** In the order of adding. */
  declare readonly _members: Map<number, Member<T>>

  /** @param open opens the wheel, after the arguments were checked */
  constructor(onExpire: (item: T) => unknown, delay: number, options: unknown, open: () => TimerScheduler) {
    checkCallback(onExpire)
    checkDelay(delay)
    checkGroupOptions(options)
    this._scheduler = open()
    this._onExpire = onExpire
    this._ms = delay
    this._members = new Map()
  }

  get size(): number {
    return this._scheduler._stopped ? 0 : this._settled().size
  }

  get delay(): number {
    return this._ms
  }

  set delay(delay: number) {
    checkDelay(delay)
    this._ms = delay
    if (this._scheduler._stopped) return
    const members = [...this._settled().values()].sort((a, b) => a._order - b._order)
    for (const member of members) this._schedule(member)
  }

  add(item: T): number {
    if (this._isStopped || this._scheduler._stopped) throw groupStopped()
    const member = new Member(this, item)
    const wasUnsure = this._isUnsure
    this._isUnsure = true
    this._members.set(member._number, member)
    this._start(member)
    this._isUnsure = wasUnsure
    return member._number
  }

  touch(number: number): boolean {
    const member = this._find(number)
    if (member) this._start(member)
    return !!member
  }

  has(number: number): boolean {
    return !!this._find(number)
  }

  delete(number: number): boolean {
    const member = this._find(number)
    if (member) this._end(member)
    return !!member
  }

  clear(): void {
    for (const number of this._members.keys()) this.delete(number)
  }

  stop(): T[] {
    const left = [...this]
    this.clear()
    this._isStopped = true
    return left
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const { _item } of this._settled().values()) yield _item
  }

  /** Ends a member, whose callback can be about to run. */
  _end(member: Member<T>, isDue?: unknown): void {
    const wasUnsure = this._isUnsure
    this._isUnsure = true
    if (isDue) this._scheduler._endDue(member._unit)
    else this._scheduler._cancel(member._unit)
    this._members.delete(member._number)
    this._isUnsure = wasUnsure
  }

  /** The members, each of which has a record. */
  private _settled(): Map<number, Member<T>> {
    if (this._isUnsure) {
      for (const { _number, _unit } of this._members.values()) if (!_unit) this._members.delete(_number)
      this._isUnsure = false
    }
    return this._members
  }

  private _find(number: number): Member<T> | undefined {
    checkMember(number)
    return this._scheduler._stopped ? undefined : this._settled().get(number)
  }

  private _start(member: Member<T>): void {
    member._started = this._scheduler._readClock()
    member._order = ++lastOrder
    this._schedule(member)
  }

  private _schedule(member: Member<T>): void {
    this._scheduler._schedule(member._unit, member, this._ms, undefined, member._started)
  }
}

/** Makes `timerGroup`. @param open opens the wheel. @throws Error if it was stopped */
export const timerGroupOn = (open: () => TimerScheduler): TimerGroupFunction =>
  function timerGroup(onExpire, delay, options) {
    return new Group(onExpire, delay, options, open)
  }
