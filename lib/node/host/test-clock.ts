/**
 * The timers and the clock of a test tool that fakes them, or those of the host while none does: see `timeout-wheel/testing`. Each
 * reading looks at the globals, because a tool replaces them at any time.
 */
import { type Host, type HostTimer, isNodeMock } from './host.js'
import { lastingSingleton } from './singletons.js'

/** One kind of time: that of the host, or that of a tool since it has begun. */
interface Source {
  /** Another object if the tool has begun again or has dropped its timers; undefined: the time of the host. */
  readonly key: object | undefined
  /** Whether the tool moves its clock to the end of a longer time before it runs the timers within. */
  readonly isAhead: boolean
  /** Milliseconds. */
  now(): number
  set(callback: () => void, delay: number): HostTimer
  clear(timer: HostTimer): void
  /** The number of timers of a tool that drops them under the same key. */
  count?(): number
}

/** The clock of `@sinonjs/fake-timers`, which Jest, Vitest and sinon use. Its functions have it as a property. */
interface FakeClock {
  readonly now: number
  /** Does not follow `setSystemTime`, which moves no timers. */
  readonly performance?: { now(): number }
  /** The names of the functions that it fakes; empty when it has ended. */
  readonly methods?: readonly string[]
  /** Missing before the first timer, and replaced when all are dropped. */
  readonly timers?: object
  setTimeout(callback: () => void, delay: number): HostTimer
  clearTimeout(timer: HostTimer): void
}

type Timers = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>

/** How often to look for the end of a tool, in milliseconds. */
const PATIENCE = 5

const NO_LEGACY =
  "timeout-wheel/testing cannot follow Jest's legacy fake timers here, because it has no jest.now(). Call jest.useFakeTimers() without " +
  'legacyFakeTimers, or set injectGlobals to true in the configuration of Jest'
const NO_DATE =
  'timeout-wheel/testing cannot follow mock.timers of node:test, because it fakes setTimeout without Date. Enable both: ' +
  "mock.timers.enable({ apis: ['setTimeout', 'Date'] })"

/** The last `setTimeout` that was no fake. */
let native = isNodeMock(globalThis.setTimeout) ? undefined : globalThis.setTimeout
/** If `mock.timers` was on when the package was loaded, it hid the functions of the host. They are found when it has ended. */
const wasHidden = native === undefined
let found: Timers | undefined

/** Jest gives this object to each CommonJS module of a test file. */
declare const jest: { now?(): number; getTimerCount(): number } | undefined

/** The only key of the legacy fake timers: unlike the others, they keep their timers from one test to the next. */
const LEGACY = {}
const warned = new Set<string>()

function warnOnce(host: Host, message: string): void {
  if (!warned.has(message)) host.warn(message, 'TimeoutWheelWarning')
  warned.add(message)
}

/** The value of a function's own property. When a test file has ended, Jest puts accessors there, which must not be called. */
const ownValue = (fn: unknown, key: string): unknown =>
  typeof fn === 'function' ? Object.getOwnPropertyDescriptor(fn, key)?.value : undefined

/** Returns the clock of a fake function, also if a program spies on `setTimeout`. */
function clockOf({ setTimeout, clearTimeout }: Timers): FakeClock | undefined {
  const faked = setTimeout === native ? [setTimeout] : [setTimeout, clearTimeout]
  return faked
    .map((fn) => ownValue(fn, 'clock') as FakeClock | undefined)
    .find((clock) => clock !== undefined)
}

/** Whether Jest's legacy fake timers are on. They replace `process.nextTick` too, which a program that spies on timers leaves alone. */
const isLegacy = (setTimeout: unknown): boolean =>
  ownValue(setTimeout, '_isMockFunction') === true && ownValue(process.nextTick, '_isMockFunction') === true

function sourceOfClock(clock: FakeClock, setTimeout: Timers['setTimeout']): Source {
  if (clock.timers === undefined) clock.clearTimeout(clock.setTimeout(() => {}, 0))
  return {
    key: clock.timers ?? clock,
    isAhead: false,
    now: () => clock.performance?.now() ?? clock.now,
    set: (callback, delay) => setTimeout(callback, delay),
    clear: (timer) => clock.clearTimeout(timer),
  }
}

/** Jest's legacy fake timers do not fake `Date`. `jest.now` is their clock. */
function sourceOfLegacy(host: Host, { setTimeout, clearTimeout }: Timers): Source {
  if (typeof jest === 'undefined' || jest.now === undefined) {
    warnOnce(host, NO_LEGACY)
    return sourceOfHost(host)
  }
  const { now, getTimerCount: count } = jest
  return {
    key: LEGACY,
    isAhead: false,
    now,
    count,
    // With a negative delay, its clock would go back.
    set: (callback, delay) => setTimeout(callback, Math.max(delay, 0)),
    clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
  }
}

/** Whether a tool like `node:test` fakes timers and the time of day. If it fakes only one of the two, time is the host's. */
function fakesDate(host: Host, own: unknown): boolean {
  // A destroyed realm of Jest has no timers.
  const { setTimeout, clearTimeout } = globalThis as Partial<Timers>
  if (setTimeout === undefined || setTimeout === native || setTimeout === own) return false
  if (!Function.prototype.toString.call(Date.now).includes('[native code]')) return true
  if (isNodeMock(setTimeout)) warnOnce(host, NO_DATE)
  else {
    native = setTimeout
    if (wasHidden) found ??= { setTimeout, clearTimeout: clearTimeout! }
  }
  return false
}

function sourceOfHost(host: Host): Source {
  return {
    key: undefined,
    isAhead: false,
    now: host.now,
    // A timer can be late. Node warns of negative delays.
    set: (callback, delay) => (found ?? host).setTimeout(callback, Math.max(delay, 0)) as HostTimer,
    clear: (timer) => (found?.clearTimeout ?? host.clearTimeout)(timer as NodeJS.Timeout),
  }
}

/** @param own our own `setTimeout`, which `timeout-wheel/register` makes a global */
function presentSource(host: Host, own: unknown): Source {
  const { setTimeout, clearTimeout, Date: day } = globalThis
  const clock = clockOf({ setTimeout, clearTimeout })
  if (clock !== undefined) {
    // A spy that is restored after the tool has ended puts the fake function back.
    return clock.methods?.length === 0 ? sourceOfHost(host) : sourceOfClock(clock, setTimeout)
  }
  if (isLegacy(setTimeout)) return sourceOfLegacy(host, { setTimeout, clearTimeout })
  if (!fakesDate(host, own)) return sourceOfHost(host)
  return {
    key: day,
    isAhead: true,
    now: () => day.now(),
    set: (callback, delay) => setTimeout(callback, delay),
    clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
  }
}

/** The clocks that watch. They look before the process ends too, because a tool can have ended in its last turn. */
const watching = lastingSingleton('watching', () => {
  const watching = new Set<TestClock>()
  process.on('beforeExit', () => {
    for (const clock of watching) clock.look()
  })
  return watching
})

/** A clock of one wheel that starts at 0, follows the present source and never goes back. */
export class TestClock {
  readonly #host: Host
  readonly #own: unknown
  readonly #onChange: () => void
  readonly #onLook: () => boolean
  #source: Source
  /** What to add to a reading of the source, and what was added to the last one of the host. */
  #offset: number
  #hostOffset: number
  #last = 0
  #watcher: HostTimer | undefined

  /**
   * @param onChange called when a tool has begun, has ended or has dropped its timers
   * @param onLook looks for the end of a tool, and returns whether to look again
   */
  constructor(host: Host, own: unknown, onChange: () => void, onLook: () => boolean) {
    this.#host = host
    this.#own = own
    this.#onChange = onChange
    this.#onLook = onLook
    this.#source = presentSource(host, own)
    this.#offset = -this.#source.now()
    this.#hostOffset = -host.now()
  }

  /** See {@link Source.key}. */
  get key(): object | undefined {
    return this.#source.key
  }

  /** Whether the tool has no timers left; false if its key tells. */
  get isEmpty(): boolean {
    return this.#source.count?.() === 0
  }

  /** See {@link Source.isAhead}. */
  get isAhead(): boolean {
    return this.#source.isAhead
  }

  /**
   * Looks for the end of a tool every few milliseconds of real time, until the tool has ended, or nothing is left to look for. No tool tells
   * when it ends. Does not keep the program alive.
   */
  watch(): void {
    watching.add(this)
    const isHidden = wasHidden && found === undefined
    if (this.#watcher !== undefined || isHidden) return
    const look = (): void => {
      this.#watcher = undefined
      this.look()
    }
    const watcher = this.#host.outside(() => (found ?? this.#host).setTimeout(look, PATIENCE) as HostTimer)
    this.#watcher = watcher
    watcher.unref?.()
  }

  /** Ends `watch`. */
  rest(): void {
    watching.delete(this)
    if (this.#watcher === undefined) return
    ;(found?.clearTimeout ?? this.#host.clearTimeout)(this.#watcher as NodeJS.Timeout)
    this.#watcher = undefined
  }

  look(): void {
    if (this.#onLook()) this.watch()
    else this.rest()
  }

  /** Milliseconds. */
  now(): number {
    const source = presentSource(this.#host, this.#own)
    if (source.key !== this.#source.key) this.#change(source)
    this.#source = source
    const time = source.now()
    // The time of day can be set back.
    this.#offset = Math.max(this.#offset, this.#last - time)
    this.#last = time + this.#offset
    return this.#last
  }

  #change(source: Source): void {
    if (this.#source.key === undefined) {
      this.#hostOffset = this.#offset
      this.#last = Math.max(this.#last, this.#source.now() + this.#offset)
    }
    this.#source = source
    // A tool counts whole milliseconds. So the clock shows whole ones with it, and its timers are not late by a part of one.
    this.#offset = source.key === undefined ? this.#hostOffset : Math.ceil(this.#last) - source.now()
    if (source.key === undefined) this.rest()
    this.#onChange()
  }

  /** Sets a timer of the present source. The delay can be negative: `node:test` comes to such timers in their order. Returns the function that clears it, and the timer. */
  set(callback: () => void, delay: number): { timer: HostTimer; clear: () => void } {
    const source = this.#source
    const timer = this.#host.outside(() => source.set(callback, delay))
    const clear = () => {
      // A tool that has ended is not called: `node:test` would clear another timer.
      const isOver = source.key !== undefined && presentSource(this.#host, this.#own).key !== source.key
      if (!isOver) source.clear(timer)
    }
    return { timer, clear }
  }
}
