/**
 * Timers of Node's that async hooks do not see. Node looks at a timer's `_onTimeout` before it tells the hooks, and passes
 * over a timer that has none: the getter here runs what is to be run and returns nothing. Made once, such a timer is set
 * anew by `refresh()`, which makes no other resource.
 *
 * The fields are undocumented, and as old as Node's timers. A Node that does not read them calls the callback.
 */
import type { Alarm, Host } from '../host/host.js'

interface NodeTimer {
  _idleTimeout: number
  _destroyed: boolean
  refresh(): unknown
  ref(): unknown
  unref(): unknown
  hasRef(): boolean
}

const FIELDS = ['_idleTimeout', '_destroyed', '_onTimeout']
const FOREVER = 2 ** 31 - 1
/** Node holds a timer, and with it the realm of what it runs, until its delay has passed. */
const SOON = 1
/** Delays above are rounded down to 32 steps an octave: Node keeps a list for each delay until it has passed. */
const EXACT = 64

/** A delay in whole milliseconds, of which there are few. */
function coarse(delay: number): number {
  if (delay <= EXACT) return delay
  const step = 2 ** (Math.floor(Math.log2(delay)) - 5)
  return delay - (delay % step)
}

/** A timer that is lent to one alarm at a time: what it holds while it is not would never be collected. */
class QuietTimer {
  ring: (() => void) | undefined
  readonly isNodes: boolean
  readonly #timer: NodeTimer

  constructor(host: Host) {
    const made = host.outside(() => host.setTimeout(() => this.#fire(), SOON))
    this.#timer = made as unknown as NodeTimer
    this.isNodes = FIELDS.every((field) => Object.getOwnPropertyDescriptor(made, field)?.configurable)
    if (!this.isNodes) {
      host.clearTimeout(made)
      return
    }
    this.#timer.unref()
    Object.defineProperty(made, '_onTimeout', { get: () => this.#fire(), set: () => {} })
  }

  set(delay: number): void {
    const timer = this.#timer
    timer._destroyed = false
    timer._idleTimeout = delay
    timer.refresh()
  }

  hold(isHeld: boolean): void {
    // Node does not count what is destroyed.
    this.#timer._destroyed = false
    if (isHeld) this.#timer.ref()
    else this.#timer.unref()
  }

  hasRef(): boolean {
    return this.#timer.hasRef()
  }

  #fire(): undefined {
    this.#timer._destroyed = false
    try {
      this.ring?.()
    } finally {
      // Node would tell the hooks that it is destroyed now.
      this.#timer._destroyed = true
    }
  }
}

/** What wakes the wheel that the whole program shares; undefined: the host's timers are not Node's. */
export function quietAlarms(host: Host): ((wake: () => void) => Alarm) | undefined {
  const make = () => new QuietTimer(host)
  // Two for the one wheel, before hooks look.
  const idle = [make(), make()]
  if (!idle.every((timer) => timer.isNodes)) return undefined
  const lend = () => idle.pop() ?? make()
  return (wake) => new QuietAlarm(wake, host, lend, (timer) => idle.push(timer))
}

class QuietAlarm implements Alarm {
  readonly #wake: () => void
  readonly #host: Host
  readonly #lend: () => QuietTimer
  readonly #giveBack: (timer: QuietTimer) => void
  #timer: QuietTimer | undefined
  #due = Number.POSITIVE_INFINITY
  #isHeld = true

  constructor(wake: () => void, host: Host, lend: () => QuietTimer, giveBack: (timer: QuietTimer) => void) {
    this.#wake = wake
    this.#host = host
    this.#lend = lend
    this.#giveBack = giveBack
  }

  set(due: number): void {
    this.#timer ??= this.#lend()
    this.#timer.ring = this.#ring
    this.#due = due
    this.#timer.set(coarse(Math.min(Math.max(Math.ceil(due - this.#host.now()), 0), FOREVER)))
    this.#timer.hold(this.#isHeld)
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#timer?.hold(isHeld)
  }

  resources(): string[] {
    return this.#timer?.hasRef() ? ['Timeout'] : []
  }

  close(): void {
    const timer = this.#timer
    if (timer === undefined) return
    const isPending = this.#due !== Number.POSITIVE_INFINITY
    this.#due = Number.POSITIVE_INFINITY
    timer.ring = undefined
    if (isPending) timer.set(SOON)
    timer.hold(false)
    this.#timer = undefined
    this.#giveBack(timer)
  }

  readonly #ring = (): void => {
    // It rings early where its delay was rounded.
    if (this.#due > this.#host.now()) {
      this.set(this.#due)
      return
    }
    this.#due = Number.POSITIVE_INFINITY
    try {
      this.#wake()
    } finally {
      if (this.#due === Number.POSITIVE_INFINITY) this.close()
    }
  }
}
