/**
 * The timers and the clock of a test tool that fakes them, or those of the host while none does: see `timeout-wheel/testing`. Each
 * reading looks at the globals, because a tool replaces them at any time.
 */
import type { Host, HostTimer } from './host.js'

/** One kind of time: that of the host, or that of a tool since it has begun. */
interface Source {
  /** Another object if the tool has begun again or has dropped its timers; undefined: the time of the host. */
  readonly key: object | undefined
  /** Milliseconds. */
  now(): number
  set(callback: () => void, delay: number): HostTimer
  clear(timer: HostTimer): void
}

/** The clock of `@sinonjs/fake-timers`, which Jest, Vitest and sinon use. Its functions have it as a property. */
interface FakeClock {
  readonly now: number
  /** Does not follow `setSystemTime`, which moves no timers. */
  readonly performance?: { now(): number }
  /** Missing before the first timer, and replaced when all are dropped. */
  readonly timers?: object
  setTimeout(callback: () => void, delay: number): HostTimer
  clearTimeout(timer: HostTimer): void
}

const native = globalThis.setTimeout

function sourceOfClock(clock: FakeClock): Source {
  if (clock.timers === undefined) clock.clearTimeout(clock.setTimeout(() => {}, 0))
  return {
    key: clock.timers ?? clock,
    now: () => clock.performance?.now() ?? clock.now,
    set: (callback, delay) => clock.setTimeout(callback, delay),
    clear: (timer) => clock.clearTimeout(timer),
  }
}

/** Whether a tool like `node:test` fakes timers and the time of day. If it fakes only one of the two, time is the host's. */
function fakesDate(own: unknown): boolean {
  const { setTimeout } = globalThis
  if (setTimeout === native || setTimeout === own) return false
  return !Function.prototype.toString.call(Date.now).includes('[native code]')
}

/** @param own our own `setTimeout`, which `timeout-wheel/register` makes a global */
function presentSource(host: Host, own: unknown): Source {
  const { setTimeout, clearTimeout, Date: day } = globalThis
  const { clock } = setTimeout as { clock?: FakeClock }
  if (typeof clock?.setTimeout === 'function') return sourceOfClock(clock)
  if (!fakesDate(own))
    return { key: undefined, now: host.now, set: host.setTimeout, clear: host.clearTimeout }
  return {
    key: day,
    now: () => day.now(),
    set: (callback, delay) => setTimeout(callback, delay),
    clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
  }
}

/** A clock of one wheel that starts at 0, follows the present source and never goes back. */
export class TestClock {
  readonly #host: Host
  readonly #own: unknown
  readonly #onChange: (wasHost: boolean) => void
  #source: Source
  /** What to add to a reading of the source, and what was added to the last one of the host. */
  #offset: number
  #hostOffset: number
  #last = 0

  /** @param onChange called when a tool has begun, has ended or has dropped its timers, with whether time was the host's before */
  constructor(host: Host, own: unknown, onChange: (wasHost: boolean) => void) {
    this.#host = host
    this.#own = own
    this.#onChange = onChange
    this.#source = presentSource(host, own)
    this.#offset = -this.#source.now()
    this.#hostOffset = -host.now()
  }

  /** See {@link Source.key}. */
  get key(): object | undefined {
    return this.#source.key
  }

  /** Milliseconds. */
  now(): number {
    const source = presentSource(this.#host, this.#own)
    if (source.key !== this.#source.key) this.#change(source)
    const time = source.now()
    // The time of day can be set back.
    this.#offset = Math.max(this.#offset, this.#last - time)
    this.#last = time + this.#offset
    return this.#last
  }

  #change(source: Source): void {
    const wasHost = this.#source.key === undefined
    if (wasHost) {
      this.#hostOffset = this.#offset
      this.#last = Math.max(this.#last, this.#source.now() + this.#offset)
    }
    this.#source = source
    // A tool counts whole milliseconds. So the clock shows whole ones with it, and its timers are not late by a part of one.
    this.#offset = source.key === undefined ? this.#hostOffset : Math.ceil(this.#last) - source.now()
    this.#onChange(wasHost)
  }

  /** Sets a timer of the present source. The delay can be negative: `node:test` comes to such timers in their order. Returns the function that clears it, and the timer. */
  set(callback: () => void, delay: number): { timer: HostTimer; clear: () => void } {
    const source = this.#source
    const timer = this.#host.outside(() => source.set(callback, delay))
    return { timer, clear: () => source.clear(timer) }
  }
}
