/**
 * Groups in a page. Here each member has a record of the wheel: members of one tick run in order with all other timers, and no
 * further code is needed for it. Node's groups (node/group/) have one record for all members, which takes a hundred times the code.
 *
 * The state of a group is in the variables of a closure: minifiers shorten them, and the methods need no `this`.
 */
import type { TimerGroup, TimerGroupFunction } from '../api/group.js'
import { checkCallback, checkDelay, checkMember, checkUnref } from '../common/checks.js'
import { groupStopped } from '../common/errors.js'
import type { Handle, TimerScheduler } from './scheduler-types.js'

let lastNumber = 0
let lastOrder = 0

/** What a member needs of its group. */
interface Group<T> {
  readonly _callback: (item: T) => unknown
  /** In the order of adding. */
  readonly _members: Map<number, Member<T>>
  /** Ends a member, whose callback can be about to run. */
  _end(member: Member<T>, isDue?: unknown): void
}

/** Without the method of a handle for intervals, which the scheduler does not call for it. */
class Member<T> implements Omit<Handle, '_end'> {
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
    return this._group._callback
  }

  get _args() {
    return [this._item]
  }

  _expire(): void {
    const { _callback, _item } = this
    this._group._end(this, 1)
    _callback(_item)
  }

  _cancel(): void {
    this._group._end(this)
  }

  /** Called when the wheel was stopped. */
  _keepNumber(): void {
    this._group._members.delete(this._number)
  }
}

/** Makes `timerGroup`. @param open opens the wheel, after the arguments were checked */
export const timerGroupOn = (open: () => TimerScheduler): TimerGroupFunction =>
  function timerGroup<T>(onExpire: (item: T) => unknown, ms: number, options: unknown): TimerGroup<T> {
    checkCallback(onExpire)
    checkDelay(ms)
    checkUnref(options)
    const scheduler = open()
    scheduler._stopped?.()
    const members = new Map<number, Member<T>>()
    let isStopped: boolean | undefined

    const inner: Group<T> = {
      _callback: onExpire,
      _members: members,
      _end(member, isDue) {
        members.delete(member._number)
        if (isDue) scheduler._endDue(member._unit)
        else scheduler._cancel(member._unit)
      },
    }

    function clear(): void {
      if (!scheduler._stopped) for (const member of members.values()) inner._end(member)
    }

    function find(number: number): Member<T> | undefined {
      checkMember(number)
      return scheduler._stopped ? undefined : members.get(number)
    }

    function start(member: Member<T>): void {
      member._started = scheduler._readClock()
      member._order = ++lastOrder
      schedule(member)
    }

    function schedule(member: Member<T>): void {
      scheduler._schedule(member._unit, member as never, ms, undefined, member._started)
    }

    function* items(): Generator<T> {
      for (const { _item } of members.values()) yield _item
    }

    return {
      get size() {
        return scheduler._stopped ? 0 : members.size
      },
      get delay() {
        return ms
      },
      set delay(delay) {
        checkDelay(delay)
        ms = delay
        if (scheduler._stopped) return
        const inOrder = [...members.values()].sort((a, b) => a._order - b._order)
        for (const member of inOrder) schedule(member)
      },
      add(item) {
        if (isStopped || scheduler._stopped) throw groupStopped()
        const member = new Member(inner, item)
        start(member)
        members.set(member._number, member)
        return member._number
      },
      touch(number) {
        const member = find(number)
        if (member) start(member)
        return !!member
      },
      has: (number) => !!find(number),
      delete(number) {
        const member = find(number)
        if (member) inner._end(member)
        return !!member
      },
      clear,
      stop() {
        const left = [...items()]
        clear()
        isStopped = true
        return left
      },
      [Symbol.iterator]: items,
    }
  }
