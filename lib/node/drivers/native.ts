/** The driver of the addon, which has a timer of its own in the event loop: native/node/loop_driver.h. */

import type { Core } from '../../memory/core.js'
import { EPOCH_END, HELD, KEEPS_LOOP_ALIVE, NOW, REFERENCED } from '../../memory/layout.js'
import { type AddonWheel, NativeCore } from '../../memory/native-core.js'
import type { Host } from '../host/host.js'
import { loadAddon } from '../host/load-addon.js'
import type { Backend, Client, OpenBackend } from './backend.js'

/**
 * The host's clock when the wheel's stood at 0. Both are the system's, read one after the other: so by the host's clock it
 * is never earlier than by the wheel's, and later by less than a microsecond.
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

/** How often in a turn the addon is called at once to let go of the event loop. Then in a microtask, which async hooks see. */
const MOST_RELEASES = 64

const resolved = Promise.resolve()

class NativeBackend implements Backend {
  readonly core: Core
  readonly #wheel: AddonWheel
  /** How often it may still be called at once in this turn. */
  #releases = MOST_RELEASES
  /** It will be called when this stretch of code has ended. */
  #releasesLater = false
  readonly #host: Host
  readonly #tick: number
  /** The host's clock, in milliseconds, when the wheel's stood at 0. */
  readonly #origin: number

  constructor(host: Host, tick: number, client: Client) {
    const core = new NativeCore(loadAddon().Wheel, tick, client)
    this.core = core
    this.#wheel = core.wheel
    this.#host = host
    this.#tick = tick
    this.#origin = originOf(core, host, tick)
  }

  /** By the host's clock: that takes half the time of a call into the addon. */
  now(): number {
    // The addon has closed the last epoch: at the end of a turn.
    if (this.core.words[EPOCH_END] === 0) this.#releases = MOST_RELEASES
    return (this.#host.now() - this.#origin) / this.#tick
  }

  openEpoch(): void {
    this.#wheel.openEpoch()
  }

  takeSubmissions(): void {
    this.#wheel.takeSubmissions()
  }

  dueTick(): number {
    return Math.floor(this.core.reals[NOW]!) + (this.#wheel.isTickDue() ? 1 : 0)
  }

  advance(target: number): number {
    return this.#wheel.advance(target)
  }

  hold(held: number): void {
    this.#wheel.hold(held === KEEPS_LOOP_ALIVE)
  }

  /**
   * The addon looks by itself, before the event loop sleeps. But what is set and let go of in `beforeExit` must not bring
   * about a turn of the loop, which would end in the next `beforeExit`; and a loop that sets and clears must not call each
   * time. That the event loop has something else to wait for is no reason to keep it: that may be let go of as well.
   */
  idle(): void {
    if (this.core.words[HELD] !== KEEPS_LOOP_ALIVE) return
    if (this.#releases > 0) {
      this.#releases--
      this.#wheel.hold(false)
    } else if (!this.#releasesLater) {
      // In this order: an interruption must not leave a release that never comes.
      resolved.then(this.#release)
      this.#releasesLater = true
    }
  }

  readonly #release = (): void => {
    this.#releasesLater = false
    this.#wheel.hold(this.core.words[REFERENCED]! > 0)
  }

  hostResources(): string[] {
    return []
  }

  close(): void {
    this.#wheel.close()
  }
}

/** Opens a bare core, which nothing wakes. */
export function openNativeCore(): Core {
  return new NativeCore(loadAddon().Wheel, 1, undefined)
}

export const openNativeBackend =
  (host: Host): OpenBackend =>
  (tick, client) =>
    new NativeBackend(host, tick, client)
