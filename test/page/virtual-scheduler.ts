/** The scheduler of a page in virtual time. */
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { openScheduler } from '../../lib/page/scheduler.js'

export function virtualScheduler(open = openScheduler, openCore = instantiateWasm) {
  const clock = { time: 0 }
  const scheduler = open(
    openCore,
    () => clock.time,
    () => {},
    () => 0,
  )
  /** Runs the timers that are due until then. */
  const run = (until = Number.MAX_VALUE): void => {
    for (;;) {
      while (scheduler._step());
      const wake = scheduler._nextWake()
      if (wake > until) return
      clock.time = Math.max(clock.time, wake)
    }
  }
  return { clock, scheduler, run }
}
