/** On workerd, each timer is one of the host. It runs in the request that set it, in the async context of that call, and ends with it. */
import type { Owner, Target } from '../kernel/target.js'
import type { MapClient, MapTimer } from '../map/map-timer.js'
import type { HostTimer, PageHost } from '../page/host.js'
import type { TimerKernel } from '../wheel/countdown.js'
import type { GroupKernel } from '../wheel/group.js'
import type { Countdown, StartCountdown } from '../wheel/timeout-signal.js'

/** A unit is the timer itself here, not a number. A list of numbered timers would keep the timers of ended requests in memory. */
type Unit = number & { readonly target: Target; due: number; hostTimer?: HostTimer | undefined }

/** The host throws outside of a request, and if a request has too many timers. It takes long delays, but no fractions. */
export function requestTimersOn({ _now, _setTimeout, _clearTimeout }: PageHost): TimerKernel {
  function moveTo(unit: Unit, due: number): Unit {
    // First, because a request has a limited number of timers.
    _clearTimeout(unit.hostTimer)
    const delay = Math.ceil(due - _now())
    const hostTimer = _setTimeout(() => {
      // Another request has moved the timer, and could not clear this one.
      if (unit.hostTimer !== hostTimer) return
      unit.hostTimer = undefined
      unit.target._expire(unit)
    }, delay)
    return Object.assign(unit, { due, hostTimer })
  }
  return {
    _origin: 0,
    _readClock: _now,
    _set: (target, delay) => moveTo({ target } as Unit, _now() + delay),
    _move: (unit: Unit, delay) => moveTo(unit, _now() + delay),
    _moveTo: moveTo,
    // If another request ends the timer, it still rings. Its target does nothing then, because it has no unit, or a new one.
    _end: (unit: Unit) => _clearTimeout(unit.hostTimer),
    _isRunning: (unit: Unit) => !unit.hostTimer,
    _dueOf: (unit: Unit) => unit.due,
  }
}

let lastMember = 0

/** The kernel of one group. A unit is the number of a member, which no other group has. */
export function groupKernelOn(start: StartCountdown): GroupKernel {
  const members = new Map<number, { item: unknown; timer: Countdown }>()
  function end(owner: Owner, unit: number): unknown {
    const { item, timer } = members.get(unit)!
    timer._clear()
    members.delete(unit)
    owner._size = members.size
    return item
  }
  return {
    _numberOf: (unit) => unit,
    _targetOf: (unit) => members.get(unit)!.item,
    _move: (unit, delay) => members.get(unit)!.timer._refresh(delay),
    _owned: {
      _set(owner, item, delay) {
        const unit = ++lastMember
        const timer = start(() => owner._expire(end(owner, unit)), delay, undefined, false)
        owner._size = members.set(unit, { item, timer }).size
        return unit
      },
      _find: (_owner, number) => (members.has(number) ? number : 0),
      _end: end,
      _unitsOf: () => members.keys(),
    },
  }
}

/** No request lives as long as a map, so no timer of the host runs it. Each call or run that finds it due requests a run. */
export function requestMapTimer(now: () => number, ask: PageHost['_soon'], client: MapClient): MapTimer {
  let due = Number.POSITIVE_INFINITY
  return {
    _now() {
      if (due <= now()) ask(() => due <= now() && client._run())
      return now()
    },
    _set(ms) {
      due = now() + ms
    },
  }
}
