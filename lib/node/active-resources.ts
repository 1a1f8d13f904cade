/** Adds timers to the host's list of active resources: one `Timeout` for each timer with a reference. */
import { singleton } from './host/singletons.js'
import type { Scheduler } from './scheduler/scheduler.js'

/** The scheduler of each `setTimeout`; undefined before its first timer. */
const schedulers = singleton('schedulers', () => new WeakMap<object, () => Scheduler | undefined>())

export function rememberScheduler(setTimeout: object, scheduler: () => Scheduler | undefined): void {
  schedulers.set(setTimeout, scheduler)
}

/**
 * Returns Node's list as if the timers of `setTimeout` were Node's own. In that list, only immediates come after timers. Returns the list itself
 * in a runtime that does not list its timers, such as Bun.
 */
export function withTimeouts(list: readonly string[], setTimeout: object): string[] {
  const scheduler = schedulers.get(setTimeout)?.()
  const result = [...list]
  if (scheduler === undefined) return result
  for (const own of scheduler.backend.hostResources()) {
    const index = result.lastIndexOf(own)
    if (index === -1) return [...list]
    result.splice(index, 1)
  }
  const end = result.indexOf('Immediate')
  const count = scheduler.referenced + (scheduler.running?.countsWhileRunning ? 1 : 0)
  const timeouts = new Array<string>(count).fill('Timeout')
  return end === -1 ? result.concat(timeouts) : [...result.slice(0, end), ...timeouts, ...result.slice(end)]
}
