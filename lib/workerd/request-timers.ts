/** On workerd, each timer is one of the host. It runs in the request that set it, in the async context of that call, and ends with it. */
import type { Owner, Target } from '../kernel/target.js'
import type { HostTimer, PageHost } from '../page/host.js'
import { type TimerKernel, WheelCountdown } from '../wheel/countdown.js'
import type { GroupKernel } from '../wheel/group.js'

/** A unit is the timer itself here, not a number. A list of numbered timers would keep the timers of ended requests in memory. */
type Unit = number & { readonly target: Target; due: number; hostTimer?: HostTimer | undefined }

/** The host throws outside of a request, and if a request has too many timers. It takes long delays, but no fractions. */
export function requestTimersOn({ _now, _setTimeout, _clearTimeout }: PageHost): TimerKernel {
  function move(unit: Unit, delay: number): Unit {
    // First, because a request has a limited number of timers.
    _clearTimeout(unit.hostTimer)
    const hostTimer = _setTimeout(() => {
      // Another request has moved the timer, and could not clear this one.
      if (unit.hostTimer !== hostTimer) return
      unit.hostTimer = undefined
      unit.target._expire(unit)
    }, Math.ceil(delay))
    return Object.assign(unit, { due: _now() + delay, hostTimer })
  }
  return {
    _origin: 0,
    _readClock: _now,
    _set: (target, delay) => move({ target } as Unit, delay),
    _move: move,
    _moveTo: (unit: Unit, due) => move(unit, due - _now()),
    // If another request ends the timer, it still rings. Its target does nothing then, because it has no unit, or a new one.
    _end: (unit: Unit) => _clearTimeout(unit.hostTimer),
    _isRunning: (unit: Unit) => !unit.hostTimer,
    _dueOf: (unit: Unit) => unit.due,
  }
}

let lastMember = 0

/** The kernel of one group. A unit is the number of a member, which no other group has. */
export function groupKernelOn(timers: TimerKernel): GroupKernel {
  const members = new Map<number, WheelCountdown>()
  function end(owner: Owner, unit: number): unknown {
    const timer = members.get(unit)!
    timer._clear()
    members.delete(unit)
    owner._size = members.size
    return timer._argument
  }
  return {
    _numberOf: (unit) => unit,
    _targetOf: (unit) => members.get(unit)!._argument,
    _move: (unit, delay) => members.get(unit)!._refresh(delay),
    _owned: {
      _set(owner, item, delay) {
        const unit = ++lastMember
        const expire = () => owner._expire(end(owner, unit))
        owner._size = members.set(unit, new WheelCountdown(timers, expire, delay, item, false)).size
        return unit
      },
      _find: (_owner, number) => (members.has(number) ? number : 0),
      _end: end,
      _unitsOf: () => members.keys(),
    },
  }
}
