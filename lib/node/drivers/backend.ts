/** A backend: a core with a clock and a source of wake-ups. The scheduler depends on this class, not on a binary. */
import type { Core } from '../../memory/core.js'
// biome-ignore format: a list of words
import {
  BUSY, KEEPS_LOOP_ALIVE, MAX_ADVANCE, REFERENCED, RETAINED, SUBMITTED, UNREFERENCED,
} from '../../memory/layout.js'

export abstract class Backend {
  readonly core: Core
  /** The backend itself, if it moves only in virtual time. */
  readonly virtual?: { readonly time: number }

  constructor(core: Core) {
    this.core = core
  }

  /**
   * The clock, in ticks since the wheel was made: at least what `openEpoch` reads at the same time. A call also makes the
   * driver close the open epoch at the end of the turn.
   */
  abstract now(): number

  /** Reads the clock into `NOW`, for the operations that share the reading. */
  openEpoch(): void {
    this.core.openEpoch(this.now())
  }

  /** Closes the open epoch, if there is one, at `now`, in ticks, and files the submissions. */
  closeEpoch(client: Pick<Client, 'epochEnd'>, now: number): void {
    client.epochEnd = 0
    this.core.closeEpoch(now)
    this.fileSubmissions(now)
  }

  /** @param now the time at which the epoch was closed */
  fileSubmissions(_now: number): void {
    const { core } = this
    if (core.words[SUBMITTED] !== 0 || core.words[BUSY] !== 0) core.takeSubmissions()
  }

  /**
   * Does what `openEpoch` does, and expires the timers that are due by its reading of the clock, of at most `MAX_ADVANCE` ticks.
   *
   * @param advanced the tick up to which the wheel was advanced, on the scale that does not wrap
   * @returns the tick up to which it is advanced now
   */
  expire(advanced: number): number {
    return expireAt(this.core, advanced, this.now())
  }

  /** Raises `HELD` to at least `held`, before a timer becomes pending. */
  abstract hold(held: number): void

  /** Called before the last timer with a reference ends. */
  abstract idle(): void

  /** Ends the wake-ups and releases the backend's resources. */
  abstract close(): void
}

/** {@link Backend.expire} at another time. @param due the tick up to which timers are due */
export function expireAt(core: Core, advanced: number, now: number, due = Math.floor(now)): number {
  core.openEpoch(now)
  const target = Math.max(advanced, Math.min(due, advanced + MAX_ADVANCE))
  core.advance(target)
  return target
}

/** The value of `HELD` that follows from the number of timers. */
export function heldOf(words: Int32Array): number {
  if (words[REFERENCED]! > 0) return KEEPS_LOOP_ALIVE
  return words[UNREFERENCED]! > 0 ? RETAINED : 0
}

/** The object that a backend wakes: the wheel's scheduler. */
export interface Client {
  /**
   * The order number at which the clock must be read again. The backend sets it to 0 when it closes the epoch, at any time.
   * It is a property, not a word of the memory, because every operation reads it.
   */
  epochEnd: number
  /** Whether a callback has run, but not yet the next ticks and microtasks that it queued. */
  readonly isUndrained: boolean
  /** Converts `WAKE` to the scale that does not wrap. */
  unwrap(tick: number): number
  /**
   * Runs due timers, for at most the wheel's budget. After that, the host runs the queues of the last callback.
   *
   * @returns whether due timers are left for the next turn of the event loop
   * @throws the error of a callback; the driver reports it and calls again for the rest
   */
  dispatch(): boolean
}

/** Opens a backend for a wheel whose ticks are `tick` milliseconds. */
export type OpenBackend = (tick: number, client: Client) => Backend
