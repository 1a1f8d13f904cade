/**
 * The functions that a wheel uses from a page or a worker. The clock and the timers are always of one source: those that the page had on
 * load, because test tools replace them later; or those of a test tool that was there before.
 */
import { COMMON_MULTIPLE, LONGEST_NOISE, LONGEST_STEP } from './constants.js'
import { openSteps, type Steps } from './message-tasks.js'

/** The globals. Each can be missing: in workers, in workerd, in Jest's environments. */
export type Globals = Partial<typeof globalThis>

/** A timer of the page: a number, although Node's types declare an object. */
export type HostTimer = ReturnType<typeof setTimeout>

/** A function that a test tool has replaced. */
interface Faked {
  /** The clock of `@sinonjs/fake-timers`, which has all fake functions, also those that are not globals. */
  readonly clock?: Globals
  /** Set on `Date` by `@sinonjs/fake-timers` and by Playwright. */
  readonly isFake?: boolean
}

export interface PageHost extends Steps {
  /** Milliseconds on the monotonic clock. */
  readonly _now: () => number
  /** The most milliseconds by which the true time between two readings of the clock can be shorter than their difference. */
  readonly _lag: () => number
  /** Whether a test tool faked the timers on load, or `Date` alone. */
  readonly _isFake: unknown
  readonly _setTimeout: (callback: () => void, delay?: number) => HostTimer
  readonly _clearTimeout: (timer: HostTimer | number | string | undefined) => void
  /** Whether the page is hidden, and so throttles timers. */
  readonly _isHidden: () => boolean | undefined
  /** Called when the page wakes from a sleep, in which its timers can have stopped. */
  readonly _sleepers: Set<() => void>
}

/**
 * A clock that never goes back, made of one that can.
 *
 * A browser rounds the readings of its clock to multiples of a step: down, or at random down or up. So the start of a delay can be a step
 * later than its reading, and the end a step earlier: two steps in all. The step is 0.1 or 1 ms, and for privacy 16.667 or 100 ms. No
 * function tells it. But the step divides all readings, so it also divides their greatest common divisor, and after a few readings it is
 * that divisor.
 *
 * If the clock goes back a little, it is noisy: a later reading can be ahead by as much. This clock then stands still until the other
 * has caught up. If the clock goes back further, someone has set it, and this one goes on from its last reading. The clock of a test
 * tool has no step and no noise.
 */
export function openClock(read: () => number, isFake: unknown): Pick<PageHost, '_now' | '_lag'> {
  const patience = isFake ? 0 : LONGEST_NOISE
  /** A multiple of the step, in microseconds. */
  let divisor = isFake ? 1 : COMMON_MULTIPLE
  let noise = 0
  let last = read()
  let lost = 0
  const _lag = (): number => {
    for (let rest = Math.round(last * 1000); rest; ) [divisor, rest] = [rest, divisor % rest]
    return noise + (Math.min(divisor, LONGEST_STEP) - 1) / 500
  }
  _lag()
  return {
    _now() {
      const time = read()
      const back = last - time
      if (back > patience) {
        // A tool counts whole milliseconds.
        lost += isFake ? Math.ceil(back) : back
        last = time
      } else noise = Math.max(noise, back)
      last = Math.max(last, time)
      return last + lost
    },
    _lag,
  }
}

export function pageHostOf(globals: Globals): PageHost {
  // Called as plain functions, because a page refuses another `this`.
  let { document, performance, MessageChannel, setTimeout, clearTimeout } = globals as typeof globalThis
  let now = performance?.now?.bind(performance) ?? Date.now
  const _isFake = (setTimeout as Faked)?.clock ?? (Date as Faked).isFake
  if (_isFake) {
    // Looked for at each call, because the tool can end and begin again.
    const tool = () => ((globals.setTimeout as Faked).clock ?? globals) as typeof globalThis
    setTimeout = ((...all: [() => void]) => tool().setTimeout(...all)) as typeof setTimeout
    clearTimeout = ((...all: [number]) => tool().clearTimeout(...all)) as typeof clearTimeout
    now = () => tool().performance.now()
    // The tool does not run messages. All due callbacks run in its timer instead.
    MessageChannel = undefined as never
  }
  const clock = openClock(now, _isFake)
  const _setTimeout: PageHost['_setTimeout'] = (callback, delay) => setTimeout(callback, delay)
  const sleepers = new Set<() => void>()
  if (document) {
    const wake = (): void => {
      for (const callback of sleepers) callback()
    }
    // The page is shown again, is thawed, or comes out of the back/forward cache.
    document.addEventListener('visibilitychange', wake)
    document.addEventListener('resume', wake)
    globals.addEventListener?.('pageshow', wake)
  }
  return {
    _isFake,
    ...clock,
    _setTimeout,
    _clearTimeout: (timer) => clearTimeout(timer as HostTimer),
    // In a page, such timers would be clamped to 4 ms after some turns. But only environments that imitate a page lack channels.
    ...openSteps(MessageChannel, clock._now, _setTimeout),
    _isHidden: () => document?.hidden,
    _sleepers: sleepers,
  }
}
