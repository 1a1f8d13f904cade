/** Turns at the start of frames: all that runs in one changes the page before it is laid out, and painted, once. */
import type { Globals, PageHost } from '../host.js'
import { runFor, type Steps } from './message-tasks.js'

/** Milliseconds after which a frame is no longer waited for: the page was hidden, or its frame is scrolled out of sight. */
const LONGEST_WAIT = 250

/**
 * @param fallback how steps are run while the page is hidden
 * @returns undefined: nothing is painted
 */
export function frameSteps(
  { _now, _setTimeout, _clearTimeout }: PageHost,
  { document, requestAnimationFrame }: Globals,
  fallback: Steps['_steps'],
): Steps['_steps'] | undefined {
  const steps: Steps['_steps'] = (job) => {
    if (document!.hidden) return fallback(job)
    let isTaken = false
    const turn = (): void => {
      if (isTaken) return
      isTaken = true
      _clearTimeout(timer)
      runFor(job, _now, steps)
    }
    const timer = _setTimeout(turn, LONGEST_WAIT)
    requestAnimationFrame!(turn)
  }
  return document && requestAnimationFrame && steps
}
