/** Runs turns at the start of frames: the page is laid out and painted once for all callbacks of a turn. */
import { LONGEST_FRAME } from '../constants.js'
import type { Globals, PageHost } from '../host.js'
import { runFor, type Steps } from './message-tasks.js'

/** The steps run as without frames if the host paints nothing, while the page is hidden, or if a request throws. */
export function frameSteps(
  { _now, _setTimeout, _clearTimeout, _start }: PageHost,
  { document, requestAnimationFrame }: Globals,
): Steps['_start'] {
  const steps: Steps['_steps'] = (job) => {
    if (!document || !requestAnimationFrame || document.hidden) return _start(job)
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
      _start(job)
    }
  }
  return steps
}
