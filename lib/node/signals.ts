/** Makes signals with a timer, and `withTimeout`, on Node. */
import type { TimeoutSignal, TimeoutSignalOptions, WithTimeout } from '../api/signal.js'
import { type Controller, makeSignal } from '../common/timeout-signal.js'
import { withTimeoutOn } from '../common/with-timeout.js'
import { countdownsOn } from './countdown.js'
import { followerRules } from './host/followers.js'
import type { Host } from './host/host.js'
import { fastControllers } from './host/node-20-signals.js'
import { controllersWith, giveMethods, prototypeOn } from './host/signal-prototype.js'
import type { Scheduler } from './scheduler/scheduler.js'

/** Chooses how controllers are made. @param major the line of Node */
function controllersOf(major: number): () => Controller {
  const prototype = prototypeOn(AbortSignal.prototype)
  // The lines whose symbols are known.
  const followers = major <= 26 ? followerRules() : undefined
  followers?.prepare(prototype)
  const fast = major < 26 ? fastControllers(prototype, followers?.release) : undefined
  return fast ?? controllersWith(AbortController, prototype)
}

const timeoutErrors = (host: Host) => () => new DOMException(host.timeoutMessage, 'TimeoutError')

/** What the signals of a host have in common; undefined before the first. */
let common: { readonly openController: () => Controller; readonly timeoutError: () => unknown } | undefined

/** Makes a signal with a timer. @param open opens the wheel */
export function openSignal(
  host: Host,
  open: () => Scheduler,
  delay: number,
  options: TimeoutSignalOptions | undefined,
): TimeoutSignal {
  common ??= { openController: controllersOf(host.major), timeoutError: timeoutErrors(host) }
  const { openController, timeoutError } = common
  return makeSignal(countdownsOn(open), openController, giveMethods, timeoutError, delay, options)
}

/** @param then the method of promises as it was when the package was loaded */
export function withTimeoutOf(
  host: Host,
  open: () => Scheduler,
  then: typeof Promise.prototype.then,
): WithTimeout {
  const needs = {
    _start: countdownsOn(open),
    _timeoutError: timeoutErrors(host),
    _abortError: host.abortError,
    _listening: host.abortListenerOptions,
  }
  return withTimeoutOn(needs, then)
}
