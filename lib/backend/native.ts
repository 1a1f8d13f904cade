/** The core as a Node addon, woken by the event loop's own timer: see native/node/loop_driver.h. */
import type { Backend, Client, Core, OpenBackend } from '../backend.js'
import { loadFrom } from '../builtin.js'
import { checkLayout, HELD, KEEPS_LOOP_ALIVE, NOW } from '../memory.js'
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
  hold(): void
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
  readonly #memory = new GrowableMemory()

  constructor(tick: number, client: Client | undefined) {
    const { Wheel } = loadAddon()
    this.#view()
    this.wheel = new Wheel(this.words, this.#memory.blocks, tick, client)
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

  grow(): boolean {
    if (!this.#memory.grow()) return false
    this.#view()
    this.wheel.extend(this.words, this.#memory.blocks)
    return true
  }

  #view(): void {
    this.words = new Int32Array(this.#memory.buffer)
    this.reals = new Float64Array(this.#memory.buffer, 0, 256)
  }
}

/** How often in a turn the addon is called at once to let go of the event loop. Then in a microtask, which async hooks see. */
const MOST_RELEASES = 64

const resolved = Promise.resolve()

class NativeBackend implements Backend {
  readonly core: Core
  readonly #wheel: Wheel
  readonly #client: Client
  /** How often it may still be called at once in this turn. */
  #releases = MOST_RELEASES
  /** It will be called when this stretch of code has ended. */
  #releasesLater = false

  constructor(tick: number, client: Client) {
    const core = new NativeCore(tick, client)
    this.core = core
    this.#wheel = core.wheel
    this.#client = client
  }

  openEpoch(): void {
    // The addon has closed the last one: at the end of a turn.
    if (this.#client.epochEnd === 0) this.#releases = MOST_RELEASES
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

  hold(): void {
    this.#wheel.hold()
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
      this.#release()
    } else if (!this.#releasesLater) {
      // In this order: an interruption in between must not keep it from being asked for again.
      resolved.then(this.#release)
      this.#releasesLater = true
    }
  }

  readonly #release = (): void => {
    this.#releasesLater = false
    this.#wheel.hold()
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

export const openNativeBackend: OpenBackend = (tick, client) => new NativeBackend(tick, client)
