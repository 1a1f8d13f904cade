/** The backend of the addon, which has its own timer in the event loop: see native/node/loop_driver.h. */
import type { Core } from '../../memory/core.js'
import { EPOCH_END, HELD, KEEPS_LOOP_ALIVE, NOW, REFERENCED } from '../../memory/layout.js'
import { type AddonWheel, NativeCore } from '../../memory/native-core.js'
import { loadAddon } from '../host/load-addon.js'
import type { Host } from '../host/node-host.js'
import { Backend, type Client, type OpenBackend } from './backend.js'

/**
 * Returns the time on the host's clock at which the wheel's clock was 0. Both read the system's clock, the host's first. So
 * {@link NativeBackend.now} is never behind the wheel's clock, and ahead of it by less than a microsecond.
 */
function originOf(core: NativeCore, host: Host, tick: number): number {
  let origin = Number.NEGATIVE_INFINITY
  for (let i = 0; i < 3; i++) {
    const before = host.now()
    core.wheel.openEpoch()
    origin = Math.max(origin, before - core.reals[NOW]! * tick)
  }
  core.wheel.closeEpoch()
  return origin
}

/** The first releases of the event loop in a turn happen at once. Later ones share a microtask, and so do all of the next turn. */
const AT_ONCE = 2

const resolved = Promise.resolve()

class NativeBackend extends Backend {
  readonly #wheel: AddonWheel
  /** The number of releases that this turn has wanted, and whether the turn before wanted many. */
  #releases = 0
  #hadMany = false
  /** A microtask is queued that releases the event loop. */
  #releasesLater = false
  readonly #host: Host
  readonly #tick: number
  /** The time on the host's clock, in milliseconds, at which the wheel's clock was 0. */
  readonly #origin: number

  constructor(host: Host, tick: number, client: Client) {
    const core = new NativeCore(loadAddon().Wheel, tick, client)
    super(core)
    this.#wheel = core.wheel
    this.#host = host
    this.#tick = tick
    this.#origin = originOf(core, host, tick)
  }

  /** Reads the host's clock, which takes half the time of a call into the addon. */
  now(): number {
    // The addon has closed the last epoch, as it does at the end of a turn.
    if (this.core.words[EPOCH_END] === 0) {
      this.#hadMany = this.#releases > AT_ONCE
      this.#releases = 0
    }
    return (this.#host.now() - this.#origin) / this.#tick
  }

  override openEpoch(): void {
    this.#wheel.openEpoch()
  }

  override expire(advanced: number): number {
    return this.#wheel.expire(advanced)
  }

  hold(held: number): void {
    this.#wheel.hold(held === KEEPS_LOOP_ALIVE)
  }

  /**
   * Releases the event loop. The addon also does so before the loop sleeps, but that is too late in `beforeExit`: a timer
   * that is set and cleared there must not cause another turn, which would end in the next `beforeExit`. Code that sets and
   * clears in a loop must not call the addon each time. Other work that keeps the loop alive can end in this turn.
   */
  idle(): void {
    if (this.core.words[HELD] !== KEEPS_LOOP_ALIVE) return
    this.#releases++
    if (this.#releasesLater) return
    if (this.#releases <= AT_ONCE && !this.#hadMany) {
      this.#wheel.hold(false)
    } else {
      resolved.then(this.#release)
      this.#releasesLater = true
    }
  }

  readonly #release = (): void => {
    this.#releasesLater = false
    this.#wheel.hold(this.core.words[REFERENCED]! > 0)
  }

  close(): void {
    this.#wheel.close()
  }
}

/** Opens a core without a driver. */
export function openNativeCore(): Core {
  return new NativeCore(loadAddon().Wheel, 1, undefined)
}

export const openNativeBackend =
  (host: Host): OpenBackend =>
  (tick, client) =>
    new NativeBackend(host, tick, client)
