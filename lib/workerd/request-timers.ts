/**
 * Timers on workerd. There, a timer of the host runs in the request that set it, with the async context of that call, and ends with the
 * request. One timer of the host for all requests would run callbacks in the wrong request. So each timer here is a timer of the host.
 */
import { MAX_TIMEOUT } from '../common/constants.js'
import type { Target } from '../kernel/target.js'
import type { HostTimer, PageHost } from '../page/host.js'
import type { TimerKernel } from '../wheel/countdown.js'

interface RequestTimer {
  readonly target: Target
  due: number
  /** Undefined: it has rung. */
  hostTimer?: HostTimer | undefined
}

/** A unit is the timer itself here, not a number. So nothing refers to the timers of a request that has ended. */
const timerOf = (unit: number): RequestTimer => unit as unknown as RequestTimer

export function requestTimersOn({ _now, _setTimeout, _clearTimeout }: PageHost): TimerKernel {
  /** @throws the error of the host, if this is not in a request or the request has too many timers */
  function moveTo(unit: number, due: number): void {
    const timer = timerOf(unit)
    // First, because a request has a limited number of timers.
    _clearTimeout(timer.hostTimer)
    // The host takes no longer delays.
    const delay = Math.min(Math.max(Math.ceil(due - _now()), 0), MAX_TIMEOUT)
    const hostTimer = _setTimeout(() => {
      if (timer.hostTimer !== hostTimer) return
      timer.hostTimer = undefined
      if (due > _now()) moveTo(unit, due)
      else timer.target._expire(unit)
    }, delay)
    timer.hostTimer = hostTimer
    timer.due = due
  }
  const move = (unit: number, delay: number): void => moveTo(unit, _now() + delay)

  return {
    _origin: 0,
    _stopped: false,
    _isUnref: false,
    _readClock: _now,
    _set(target, delay) {
      const unit = { target, due: 0 } as unknown as number
      move(unit, delay)
      return unit
    },
    _move: move,
    _moveTo: moveTo,
    // No request can clear the timer of another. Such a timer rings, and its target does nothing, as it has another unit.
    _end: (unit) => _clearTimeout(timerOf(unit).hostTimer),
    _keep() {},
    _ran() {},
    _isRunning: (unit) => !timerOf(unit).hostTimer,
    _dueOf: (unit) => timerOf(unit).due,
  }
}
