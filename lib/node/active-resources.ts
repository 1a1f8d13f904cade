/** How timers show where the host lists what keeps its event loop alive: one `Timeout` for each with a reference. */
import type { Scheduler } from './scheduler/scheduler.js'

/** Whose timers a `setTimeout` sets; undefined: none has been set yet. */
const schedulers = new WeakMap<object, () => Scheduler | undefined>()

export function rememberScheduler(setTimeout: object, scheduler: () => Scheduler | undefined): void {
  schedulers.set(setTimeout, scheduler)
}

/** Node's list, in which timers stand behind all but immediates, as it would be were those of `setTimeout` Node's own. */
export function withTimeouts(list: readonly string[], setTimeout: object): string[] {
  const scheduler = schedulers.get(setTimeout)?.()
  const result = [...list]
  if (scheduler === undefined) return result
  for (const own of scheduler.backend.hostResources()) result.splice(result.lastIndexOf(own), 1)
  const end = result.indexOf('Immediate')
  const count = scheduler.referenced + (scheduler.running?.countsWhileRunning ? 1 : 0)
  const timeouts = new Array<string>(count).fill('Timeout')
  return end === -1 ? result.concat(timeouts) : [...result.slice(0, end), ...timeouts, ...result.slice(end)]
}
