/**
 * A backend: a core with a clock and a source of wake-ups. The scheduler knows this interface and no binary.
 */
import type { Core } from '../../memory/core.js'

/** A core with its clock and its source of wake-ups. */
export interface Backend {
  readonly core: Core
  /**
   * The clock, in ticks since the wheel was made: no less than `openEpoch` reads at the same time. The driver is told that
   * an epoch is open, and closes it at the end of the turn.
   */
  now(): number
  /** Reads the clock into `NOW`, for the operations that share the reading. */
  openEpoch(): void
  /** The submissions are full. */
  takeSubmissions(): void
  /** The last tick whose timers are all due at the clock that `openEpoch` has read, on the scale that does not wrap. */
  dueTick(): number
  /** See {@link Core.advance}. */
  advance(target: number): number
  /** A timer is about to be pending that `HELD` does not account for yet: it is to be at least `held`. */
  hold(held: number): void
  /** The last timer that has a reference is about to be no longer pending; or nothing is, and `SPARE` is set. */
  idle(): void
  /** What the host counts among its active resources on this backend's account, by the names that it has for them. */
  hostResources(): string[]
  /** No more wake-ups; what the backend holds is released. */
  close(): void
}

/** Whom a backend wakes: the wheel's scheduler. */
export interface Client {
  /**
   * The order number before which the clock must be read again. The backend sets it to 0 when it closes the epoch, as
   * often as it likes; a property, not a word of the memory, because every operation reads it.
   */
  epochEnd: number
  /** A callback has run, and the next ticks and microtasks that it has queued have not. */
  readonly isUndrained: boolean
  /**
   * Runs what is due, for at most the wheel's budget of time. The last callback's next ticks and microtasks are left to the
   * driver's host, which runs them once `dispatch` has returned.
   *
   * @returns whether something that is due has been left for the next turn of the event loop
   * @throws what a callback throws; the driver reports it and calls again for the rest
   */
  dispatch(): boolean
  /** To be called where `dispatch` may have been interrupted in a callback: the interval that ran goes on. */
  recover(): void
  /** To be called when nothing has been pending for some time (`SPARE_TIME`), and `SPARE` is set: see `TimerWheel.trim`. */
  trim(): void
}

/** Milliseconds for which an empty wheel keeps the memory that it has taken. The addon has a number of its own. */
export const SPARE_TIME = 10_000

/** What moves a wheel in real time. */
export type Driver = 'host' | 'worker' | 'animation-frame'

/** Opens a backend for a wheel whose ticks are `tick` milliseconds. */
export type OpenBackend = (tick: number, client: Client) => Backend
