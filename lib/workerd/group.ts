/** Groups on workerd. Each member has a timer of the host, which belongs to the request that adds or touches it: see request-timers.ts. */
import type { TimerGroup, TimerGroupFunction } from '../api/group.js'
import { checkCallback, checkDelay, checkMember, checkUnref } from '../common/checks.js'
import { groupStopped } from '../common/errors.js'
import type { Countdown, StartCountdown } from '../wheel/timeout-signal.js'

let lastMember = 0

/** Makes `timerGroup`. */
export const timerGroupOn = (start: StartCountdown): TimerGroupFunction =>
  function timerGroup<T>(onExpire: (item: T) => unknown, ms: number, options: unknown) {
    checkCallback(onExpire)
    checkDelay(ms)
    const unref = checkUnref(options) ?? false
    const members = new Map<number, { readonly item: T; readonly timer: Countdown }>()
    let isStopped = false

    function find(member: number) {
      checkMember(member)
      return members.get(member)
    }
    const group: TimerGroup<T> = {
      get size() {
        return members.size
      },
      get delay() {
        return ms
      },
      set delay(delay) {
        checkDelay(delay)
        ms = delay
      },
      add(item) {
        if (isStopped) throw groupStopped()
        const member = ++lastMember
        const expire = () => members.delete(member) && onExpire(item)
        members.set(member, { item, timer: start(expire, ms, undefined, unref) })
        return member
      },
      touch(member) {
        const found = find(member)
        found?.timer._refresh(ms)
        return !!found
      },
      has: (member) => !!find(member),
      delete(member) {
        find(member)?.timer._clear()
        return members.delete(member)
      },
      clear() {
        for (const member of members.keys()) group.delete(member)
      },
      stop() {
        const left = [...group]
        group.clear()
        isStopped = true
        return left
      },
      *[Symbol.iterator]() {
        for (const { item } of members.values()) yield item
      },
    }
    return group
  }
