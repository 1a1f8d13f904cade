/** Groups: timers with one callback and one delay. Each member is a unit whose cell holds the item. */
import type { TimerGroup, TimerGroupFunction } from '../api/group.js'
import { checkCallback, checkDelay, checkMember, checkUnref } from '../common/checks.js'
import { groupStopped } from '../common/errors.js'
import type { Kernel } from '../kernel/kernel.js'
import { ownedOf } from '../kernel/owners.js'
import type { OwnedUnits, Owner } from '../kernel/target.js'

/** What a group needs of a kernel. lib/workerd has another implementation, without the optional parts. */
export interface GroupKernel
  extends Pick<Kernel, '_numberOf' | '_targetOf' | '_move'>,
    Partial<Pick<Kernel, '_stopped' | '_isUnref' | '_settle' | '_refuse'>> {
  _owned: OwnedUnits | undefined
}

/** A class, because V8 makes a slow dictionary of an object literal with accessors. */
class Group<T> implements TimerGroup<T> {
  readonly #kernel: GroupKernel
  readonly #owned: OwnedUnits
  readonly #owner: Owner
  // So V8 knows that it is a number. Otherwise each touch looks what it is.
  #ms = 0
  #isStopped = false

  constructor(kernel: GroupKernel, onExpire: (item: T) => unknown, ms: number, unref: boolean | undefined) {
    const owner: Owner = {
      _free: 0,
      _spans: [],
      _size: 0,
      _isReferenced: !unref,
      _expire: onExpire as (item: unknown) => unknown,
      _forget() {
        owner._spans.length = owner._size = owner._free = 0
      },
      _shownOf: (item) => ({ callback: onExpire as never, args: [item], hasRef: !unref }),
    }
    this.#kernel = kernel
    this.#owned = ownedOf(kernel)
    this.#owner = owner
    this.#ms = ms
  }

  /** The unit of a member; 0: the group has no such member. */
  #find(member: number): number {
    checkMember(member)
    return this.#owned._find(this.#owner, member)
  }

  get size(): number {
    this.#kernel._settle?.()
    return this.#owner._size
  }

  get delay(): number {
    return this.#ms
  }

  set delay(delay: number) {
    checkDelay(delay)
    this.#ms = delay
  }

  add(item: T): number {
    const kernel = this.#kernel
    if (this.#isStopped || kernel._stopped) throw groupStopped()
    return kernel._numberOf(this.#owned._set(this.#owner, item, this.#ms))
  }

  touch(member: number): boolean {
    const unit = this.#find(member)
    if (unit) this.#kernel._move(unit, this.#ms)
    return unit > 0
  }

  has(member: number): boolean {
    return this.#find(member) > 0
  }

  delete(member: number): boolean {
    const unit = this.#find(member)
    if (unit) this.#owned._end(this.#owner, unit)
    return unit > 0
  }

  clear(): void {
    for (const unit of [...this.#owned._unitsOf(this.#owner)]) this.#owned._end(this.#owner, unit)
  }

  stop(): T[] {
    const left = [...this]
    this.clear()
    this.#isStopped = true
    return left
  }

  *[Symbol.iterator](): Generator<T> {
    for (const unit of this.#owned._unitsOf(this.#owner)) yield this.#kernel._targetOf(unit) as T
  }
}

/** Makes `timerGroup`. @param open opens the wheel, after the arguments were checked */
export const timerGroupOn = (open: () => GroupKernel): TimerGroupFunction =>
  function timerGroup<T>(onExpire: (item: T) => unknown, ms: number, options: unknown): TimerGroup<T> {
    checkCallback(onExpire)
    checkDelay(ms)
    const unref = checkUnref(options)
    const kernel = open()
    // `maxPending` is at least 1, so only a stopped wheel refuses.
    kernel._refuse?.(0)
    return new Group(kernel, onExpire, ms, unref ?? kernel._isUnref)
  }
