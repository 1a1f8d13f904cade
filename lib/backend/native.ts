/** The core as a Node addon, woken by the event loop's own timer: see native/node/loop_driver.h. */
import type { Backend, Client, Core, OpenBackend, Views } from '../backend.js'
import { loadFrom } from '../builtin.js'
import type { Host } from '../host.js'
import { carryOver, checkLayout, EPOCH_END, HELD, KEEPS_LOOP_ALIVE, NOW, REFERENCED } from '../memory.js'
import { onlyOneEver } from '../only_one.js'
import { packageDirectory } from '../package_directory.js'
import { GrowableMemory } from './growable_memory.js'

/** See native/node/binding.h. Arguments are not checked there. */
interface Wheel {
  openEpoch(now?: number): void
  closeEpoch(now?: number): void
  takeSubmissions(): void
  isTickDue(): boolean
  advance(target: number): number
  extend(words: Int32Array, blocks: number): void
  renew(words: Int32Array, tick: number): void
  hold(keepsLoopAlive: boolean): void
  close(): void
}

interface Addon {
  Wheel: new (words: Int32Array, blocks: number, tick: number, client: Client | undefined) => Wheel
  layoutAt(i: number): number
}

/** Thrown where the addon does not load: names the platform, the path tried, the reason and the remedy. */
export class NativeBackendError extends Error {
  override readonly name = 'NativeBackendError'
  readonly code = 'ERR_NATIVE_BACKEND'
}

function platformName(): string {
  const name = `${process.platform}-${process.arch}`
  if (process.platform !== 'linux') return name
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
  const isMusl = report?.header !== undefined && report.header.glibcVersionRuntime === undefined
  return isMusl ? `${name} (musl)` : name
}

function failure(path: string, reason: string, cause?: unknown): NativeBackendError {
  return new NativeBackendError(
    `timeout-wheel has no native addon for ${platformName()}, Node ${process.versions.node}: ${reason} (tried ${path}). ` +
      "Import 'timeout-wheel' or 'timeout-wheel/wasm' to run on WebAssembly; " +
      'to build the addon, run `npm run build` in a clone of the package',
    { cause },
  )
}

let loaded: Addon | undefined

/** Loads the addon, once. @throws NativeBackendError where it does not load */
export function loadAddon(): Addon {
  if (loaded !== undefined) return loaded
  const file = `prebuilds/${process.platform}-${process.arch}/timeout_wheel.node`
  if (packageDirectory === undefined)
    throw failure(file, 'a bundle does not know where it is: leave timeout-wheel out of it')
  const path = `${packageDirectory}/${file}`
  // They load the addon, and then abort in libuv or never wake.
  for (const runtime of ['bun', 'deno']) {
    const version = process.versions[runtime]
    if (version !== undefined) throw failure(path, `addons with timers do not work in ${runtime} ${version}`)
  }
  try {
    // Each load opens handles of the event loop for good.
    const addon = onlyOneEver(path, () => loadFrom(path)) as Addon
    checkLayout(addon.layoutAt)
    loaded = addon
    return addon
  } catch (cause) {
    throw failure(path, String((cause as Error | null)?.message), cause)
  }
}

class NativeCore implements Core {
  words!: Int32Array
  reals!: Float64Array
  readonly wheel: Wheel
  #memory = new GrowableMemory(1)

  get blocks(): number {
    return this.#memory.blocks
  }

  constructor(tick: number, client: Client | undefined) {
    const { Wheel } = loadAddon()
    const { buffer, blocks } = this.#memory
    this.words = new Int32Array(buffer)
    this.reals = new Float64Array(buffer, 0, 256)
    this.wheel = new Wheel(this.words, blocks, tick, client)
  }

  openEpoch(now: number): void {
    this.wheel.openEpoch(now)
  }

  closeEpoch(now: number): void {
    this.wheel.closeEpoch(now)
  }

  takeSubmissions(): void {
    this.wheel.takeSubmissions()
  }

  advance(target: number): number {
    return this.wheel.advance(target)
  }

  grow(owner: Views): boolean {
    const memory = this.#memory.grown()
    if (memory === undefined) return false
    const words = new Int32Array(memory.buffer)
    const reals = new Float64Array(memory.buffer, 0, 256)
    const isCopy = !memory.isPartOf(this.#memory)

    // The addon and both owners of views move on together: only built-in functions are called in between.
    if (isCopy) words.set(this.words)
    this.wheel.extend(words, memory.blocks)
    this.#memory = memory
    this.words = owner.words = words
    this.reals = owner.reals = reals
    return true
  }

  renew(advanced: number, owner: Views): boolean {
    const memory = this.#memory.renewed()
    if (memory === undefined) return false
    const words = new Int32Array(memory.buffer)
    const reals = new Float64Array(memory.buffer, 0, 256)
    carryOver(words, reals, this)

    // As in grow().
    this.wheel.renew(words, (advanced + 1) | 0)
    this.#memory = memory
    this.words = owner.words = words
    this.reals = owner.reals = reals
    return true
  }
}

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
  readonly #wheel: Wheel
  /** How often it may still be called at once in this turn. */
  #releases = MOST_RELEASES
  /** It will be called when this stretch of code has ended. */
  #releasesLater = false
  readonly #host: Host
  readonly #tick: number
  /** The host's clock, in milliseconds, when the wheel's stood at 0. */
  readonly #origin: number

  constructor(host: Host, tick: number, client: Client) {
    const core = new NativeCore(tick, client)
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

/** A bare core, which is not woken. */
export function openNativeCore(): Core {
  return new NativeCore(1, undefined)
}

export const openNativeBackend =
  (host: Host): OpenBackend =>
  (tick, client) =>
    new NativeBackend(host, tick, client)
