/**
 * Timers on workerd. There, a timer of the host runs in the request that set it, with the async context of that call, and ends with the
 * request. One timer of the host for all requests would run callbacks in the wrong request. So each timer here is a timer of the host.
 */
import { MAX_TIMEOUT } from '../common/constants.js'
import type { HostTimer, PageHost } from '../page/host.js'
import type { Handle, TimerScheduler } from '../page/scheduler-types.js'

interface RequestTimer {
  readonly _target: Handle
  _due: number
  _hostTimer?: HostTimer
  /** What the timer of the host calls. A former one can call too, because no request can clear the timer of another. */
  _fire?: (() => void) | undefined
}

/** A unit is the timer itself here, not a number. So nothing refers to the timers of a request that has ended. */
const timerOf = (unit: number): RequestTimer => unit as unknown as RequestTimer

export function requestTimersOn({ _now, _setTimeout, _clearTimeout }: PageHost): TimerScheduler {
  function end(unit: number): void {
    const timer = timerOf(unit)
    _clearTimeout(timer._hostTimer)
    timer._fire = undefined
    timer._target._unit = 0
  }
  return {
    _clock: _now,
    _readClock: _now,
    _targetOf: () => undefined,
    _due: (unit) => timerOf(unit)._due,
    /** @throws the error of the host, if this is not in a request or the request has too many timers */
    _schedule(unit, target, ms, _argument, started = _now()) {
      const timer: RequestTimer = unit ? timerOf(unit) : { _target: target as Handle, _due: 0 }
      const start = (): void => {
        const rest = Math.max(Math.ceil(timer._due - _now()), 0)
        timer._hostTimer = _setTimeout(fire, Math.min(rest, MAX_TIMEOUT))
      }
      const fire = (): void => {
        if (timer._fire !== fire) return
        // The host takes no longer delays.
        if (timer._due > _now()) start()
        else timer._target._expire()
      }
      // First, because a request has a limited number of timers.
      _clearTimeout(timer._hostTimer)
      timer._due = started + ms
      start()
      timer._fire = fire
      timer._target._unit = timer as unknown as number
      return timer._target._unit
    },
    _cancel: end,
    _endDue(unit, repeats) {
      if (!repeats) end(unit)
    },
  }
}
