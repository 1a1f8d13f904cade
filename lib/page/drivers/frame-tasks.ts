/** Runs turns at the start of frames: the page is laid out and painted once for all callbacks of a turn. */
import { LONGEST_FRAME } from '../constants.js'
import type { Globals, PageHost } from '../host.js'
import { runFor, type Steps } from './message-tasks.js'

/**
 * @param fallback runs the steps if the host paints nothing, while the page is hidden, or if a request throws
 */
export function frameSteps(
  { _now, _setTimeout, _clearTimeout }: PageHost,
  { document, requestAnimationFrame }: Globals,
  fallback: Steps['_steps'],
): Steps['_steps'] {
  const steps: Steps['_steps'] = (job) => {
    if (!document || !requestAnimationFrame || document.hidden) return fallback(job)
    let isTaken = false
    const turn = (): void => {
      if (isTaken) return
      isTaken = true
      _clearTimeout(timer)
      runFor(job, _now, steps)
    }
    const timer = _setTimeout(turn, LONGEST_FRAME)
    try {
      requestAnimationFrame(turn)
    } catch {
      _clearTimeout(timer)
      fallback(job)
    }
  }
  return steps
}
