/** Makes signals with a timer on Node. */
import type { TimeoutSignal, TimeoutSignalOptions } from '../api/signal.js'
import { type Controller, makeSignal } from '../common/timeout-signal.js'
import { deadlinesOn } from './deadline.js'
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

/** Returns a function that makes signals. */
export function signalsOf({ major, timeoutMessage }: Host) {
  const openController = controllersOf(major)
  const timeoutError = () => new DOMException(timeoutMessage, 'TimeoutError')
  return (open: () => Scheduler, delay: number, options: TimeoutSignalOptions | undefined): TimeoutSignal =>
    makeSignal(deadlinesOn(open), openController, giveMethods, timeoutError, delay, options)
}
