/**
 * Timers on workerd. There, a timer of the host runs in the request that set it, with the async context of that call, and ends with the
 * request. One timer of the host for all requests would run callbacks in the wrong request. So each timer here is a timer of the host.
 */
import { FOREVER, MAX_TIMEOUT } from '../common/constants.js'
import type { Owner, Target } from '../kernel/target.js'
import type { MapClient, MapTimer } from '../map/map-timer.js'
import type { HostTimer, PageHost } from '../page/host.js'
import type { TimerKernel } from '../wheel/countdown.js'
import type { GroupKernel } from '../wheel/group.js'
import type { Countdown, StartCountdown } from '../wheel/timeout-signal.js'

/** A unit is the timer itself here, and no number. So nothing refers to the timers of a request that has ended. */
type Unit = number & { readonly target: Target; due: number; hostTimer?: HostTimer | undefined }

/** The host throws outside of a request, and if a request has too many timers. */
export function requestTimersOn({ _now, _setTimeout, _clearTimeout }: PageHost): TimerKernel {
  function moveTo(unit: Unit, due: number): Unit {
    // First, because a request has a limited number of timers.
    _clearTimeout(unit.hostTimer)
    // The host takes no longer delays.
    const delay = Math.min(Math.max(Math.ceil(due - _now()), 0), MAX_TIMEOUT)
    const hostTimer = _setTimeout(() => {
      if (unit.hostTimer !== hostTimer) return
      unit.hostTimer = undefined
      if (due > _now()) moveTo(unit, due)
      else unit.target._expire(unit)
    }, delay)
    return Object.assign(unit, { due, hostTimer })
  }
  return {
    _origin: 0,
    _readClock: _now,
    _set: (target, delay) => moveTo({ target } as Unit, _now() + delay),
    _move: (unit: Unit, delay) => moveTo(unit, _now() + delay),
    _moveTo: moveTo,
    // No request can clear the timer of another. Such a timer rings, and its target does nothing, as it has another unit.
    _end: (unit: Unit) => _clearTimeout(unit.hostTimer),
    _isRunning: (unit: Unit) => !unit.hostTimer,
    _dueOf: (unit: Unit) => unit.due,
  }
}

let lastMember = 0

/** The kernel of a group. A unit is the number of a member. */
export function groupKernelOn(start: StartCountdown): GroupKernel {
  const members = new Map<number, { owner: Owner; item: unknown; timer: Countdown }>()
  function end(owner: Owner, unit: number): void {
    members.get(unit)!.timer._clear()
    members.delete(unit)
    owner._size--
  }
  return {
    _unitOf: (number) => (members.has(number) ? number : 0),
    _numberOf: (unit) => unit,
    _ownerOf: (unit) => members.get(unit)!.owner,
    _targetOf: (unit) => members.get(unit)!.item,
    _move: (unit, delay) => members.get(unit)!.timer._refresh(delay),
    _owned: {
      _set(owner, item, delay) {
        const unit = ++lastMember
        const expire = (): void => {
          end(owner, unit)
          owner._expire(item)
        }
        members.set(unit, { owner, item, timer: start(expire, delay, undefined, false) })
        owner._size++
        return unit
      },
      _end: end,
      _unitsOf: () => members.keys(),
    },
  }
}

/** The timer of a map is none of the host, because no request lives as long as the entries. A call that finds it due requests a microtask. */
export function requestMapTimerOn(now: () => number, ask: (run: () => void) => void) {
  /** The start of the first request, before which the clock stands at 0. */
  let origin = 0
  return (client: MapClient): MapTimer => {
    let read = 0
    let due: number = FOREVER
    const run = (): void => {
      if (due <= read) client._run()
    }
    return {
      _now() {
        origin ||= now()
        read = now() - origin
        // A run reads the clock too, and so requests another one: it can throw, or leave something to do.
        if (due <= read) ask(run)
        return read
      },
      // Not at once: the clock stands while code runs, and `onExpire` can set entries.
      _set(ms) {
        due = read + Math.max(ms, 1)
      },
    }
  }
}
