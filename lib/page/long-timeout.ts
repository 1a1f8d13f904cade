/** `setLongTimeout` in a page. In a file of its own, because pages without it must not load it. */
import type { PageTimeout } from '../api/timeout.js'
import type { SetLongTimeout } from '../api/timers.js'
import { checkCallback, checkLongDelay } from '../common/checks.js'
import { ONCE } from './handle-state.js'
import type { TimerScheduler } from './scheduler-types.js'
import { Timeout, type TimeoutCallback } from './timeout.js'

export const setLongTimeoutOn = (open: () => TimerScheduler): SetLongTimeout<PageTimeout> =>
  function setLongTimeout(callback: TimeoutCallback, delay?: number, ...args: unknown[]) {
    checkCallback(callback)
    const ms = checkLongDelay(delay)
    return new Timeout(open(), callback, ms >= 1 ? Math.trunc(ms) : 1, ONCE, args, true)
  } as unknown as SetLongTimeout<PageTimeout>
