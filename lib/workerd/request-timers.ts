/**
 * Timers on workerd. There, a timer of the host runs in the request that set it, with the async context of that call, and ends with the
 * request. One timer of the host for all requests would run callbacks in the wrong request. So each timer here is a timer of the host.
 */
import { MAX_TIMEOUT } from '../common/constants.js'
import type { Target } from '../kernel/target.js'
import type { HostTimer, PageHost } from '../page/host.js'
import type { TimerKernel } from '../wheel/countdown.js'

interface RequestTimer {
  readonly _target: Target
  _due: number
  _hostTimer?: HostTimer
  /** What the timer of the host calls. A former one can call too, because no request can clear the timer of another. */
  _fire?: (() => void) | undefined
}

/** A unit is the timer itself here, not a number. So nothing refers to the timers of a request that has ended. */
const timerOf = (unit: number): RequestTimer => unit as unknown as RequestTimer

export function requestTimersOn({ _now, _setTimeout, _clearTimeout }: PageHost): TimerKernel {
  /** The interval whose callback runs, or 0. */
  let running = 0

  /** @throws the error of the host, if this is not in a request or the request has too many timers */
  function moveTo(unit: number, due: number): void {
    const timer = timerOf(unit)
    const start = (): void => {
      const rest = Math.max(Math.ceil(timer._due - _now()), 0)
      timer._hostTimer = _setTimeout(fire, Math.min(rest, MAX_TIMEOUT))
    }
    const fire = (): void => {
      if (timer._fire !== fire) return
      // The host takes no longer delays.
      if (timer._due > _now()) start()
      else timer._target._expire(unit)
    }
    // First, because a request has a limited number of timers.
    _clearTimeout(timer._hostTimer)
    timer._due = due
    start()
    timer._fire = fire
  }

  return {
    _origin: 0,
    _stopped: false,
    _isUnref: false,
    _readClock: _now,
    _set(target, delay) {
      const timer: RequestTimer = { _target: target as Target, _due: 0 }
      const unit = timer as unknown as number
      moveTo(unit, _now() + delay)
      return unit
    },
    _move: (unit, delay) => moveTo(unit, _now() + delay),
    _moveTo: moveTo,
    _end(unit) {
      const timer = timerOf(unit)
      _clearTimeout(timer._hostTimer)
      timer._fire = undefined
    },
    _keep(unit) {
      running = unit
    },
    _ran() {
      running = 0
    },
    _isRunning: (unit) => unit === running,
    _dueOf: (unit) => timerOf(unit)._due,
  }
}
