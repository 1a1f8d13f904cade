/** The core as a Node addon, on a memory that grows in place if it can. */
import type { Core, DrivenCore, Driver } from './core.js'
import { bytesOf, closedViews, grow, growPart, unlessRefused, viewsOf } from './growable-memory.js'
import { MAX_BLOCKS, NOW, RECORDS_PER_BLOCK, REFERENCED, UNREFERENCED, WAKE, WASM_GROWTH } from './layout.js'

/**
 * The class of the addon: native/node/binding.h. It does not check arguments. `readClock` writes the time into the memory. Without
 * `dispatch`, JavaScript writes it there before each other call.
 */
export interface AddonWheel {
  apply(): void
  expire(): void
  resume(): void
  readClock(): void
  endTurn(): void
  /** Not true: a time limit of `vm` has passed, or the worker is being terminated. Then N-API does not call the addon. */
  extend(words: Int32Array, blocks: number): boolean | undefined
  hold(): void
  release(): void
  close(): void
}

/** @param dispatch runs due timers, and returns whether some are left; undefined: the wheel has no place on the loop */
export type AddonWheelConstructor = new (
  words: Int32Array,
  blocks: number,
  ticksPerMs: number,
  dispatch: (() => boolean) | undefined,
) => AddonWheel

// Node runs without WebAssembly under --jitless.
let canReserve = typeof WebAssembly !== 'undefined'

/**
 * Reserves memory of one block that grows in place: a WebAssembly.Memory without a module. So nothing is copied, and access is as fast
 * as to a buffer of fixed size. Undefined if there is no WebAssembly, or no addresses are left to reserve.
 *
 * The memory is a shared one, although no thread shares it. V8 would count all of an unshared memory as newly allocated at
 * each growth and mark the heap: 30 to 70 ms with millions of handles. The addon reports to V8 only the bytes that are new.
 */
function reserve(): WebAssembly.Memory | undefined {
  if (!canReserve) return undefined
  try {
    return new WebAssembly.Memory({
      initial: bytesOf(1) / WASM_GROWTH,
      maximum: bytesOf(MAX_BLOCKS) / WASM_GROWTH,
      shared: true,
    })
  } catch {
    // Never try again: the engine collects garbage several times before it gives up.
    canReserve = false
    return undefined
  }
}

/** The memory of a wheel of the addon. */
class NativeMemory {
  // Only declared, so that each is stored once until the memory grows: see core.ts.
  declare words: Int32Array
  declare reals: Float64Array
  protected readonly wheel: AddonWheel
  #blocks = 1
  /** Undefined: the memory is a plain buffer, which is copied when it grows. */
  readonly #memory = reserve()

  /** @param tick the length of a tick in milliseconds */
  constructor(Wheel: AddonWheelConstructor, tick: number, dispatch: (() => boolean) | undefined) {
    const { words, reals } = viewsOf(this.#memory?.buffer ?? new ArrayBuffer(bytesOf(1)))
    this.words = words
    this.reals = reals
    this.wheel = new Wheel(words, 1, 1 / tick, dispatch)
  }

  _grow(): number {
    growPart(this.#blocks, (blocks) => this.#growTo(blocks))
    return this.#blocks * RECORDS_PER_BLOCK
  }

  #growTo(blocks: number): boolean {
    const memory = this.#memory
    const allocate = () => new ArrayBuffer(bytesOf(blocks))
    const buffer = memory ? grow(memory, blocks) && memory.buffer : unlessRefused(allocate)
    if (!buffer) return false
    const { words, reals } = viewsOf(buffer)
    if (memory === undefined) words.set(this.words)
    if (!this.wheel.extend(words, blocks)) return false
    this.#blocks = blocks
    this.words = words
    this.reals = reals
    return true
  }
}

const resolved = Promise.resolve()

/** A wheel that the addon drives: it reads the clock of the event loop itself, and calls `dispatch`. */
export class LoopCore extends NativeMemory implements Core {
  /** Functions of the addon, without a frame of this class between. */
  readonly _apply: () => void
  readonly _resume: () => void
  /** A microtask is queued that releases the event loop. */
  #isReleasing = false

  constructor(Wheel: AddonWheelConstructor, tick: number, dispatch: () => boolean) {
    super(Wheel, tick, dispatch)
    this._apply = this.wheel.apply
    this._resume = this.wheel.resume
  }

  readonly _readClock = (): number => {
    this.wheel.readClock()
    return this.reals[NOW]!
  }

  _hold(): void {
    this.wheel.hold()
  }

  /**
   * The addon also releases the loop before the loop sleeps. That is too late in `beforeExit`: a timer that is set and cleared there
   * must not cause another turn, which would end in the next `beforeExit`. Once a turn, because code sets and clears in loops.
   */
  _release(): void {
    if (this.#isReleasing) return
    resolved.then(this.#releaseNow)
    this.#isReleasing = true
  }

  readonly #releaseNow = (): void => {
    this.#isReleasing = false
    if (this.words[REFERENCED] === 0) this.wheel.release()
  }

  _close(): void {
    // The addon looks at the counts again after the callback that has stopped the wheel, and in `#releaseNow`.
    this.words[REFERENCED] = this.words[UNREFERENCED] = 0
    this.wheel.close()
    // The clock goes on.
    this.words = closedViews().words
  }
}

/** A wheel on the addon with a driver in JavaScript. */
export class ClockedCore extends NativeMemory implements DrivenCore {
  readonly #driver: Driver

  constructor(Wheel: AddonWheelConstructor, tick: number, driver: Driver) {
    super(Wheel, tick, undefined)
    this.#driver = driver
  }

  /** Tells the addon the time. */
  #tell(): void {
    this.reals[NOW] = this.#driver._now()
  }

  readonly _apply = (): void => {
    // First, because a time limit of `vm` can end the call after the queue was applied.
    this.#driver._applies()
    this.#tell()
    this.wheel.apply()
  }

  _expire(): void {
    this.#tell()
    this.wheel.expire()
  }

  _resume(): void {
    this.#tell()
    this.wheel.resume()
  }

  readonly _readClock = (): number => this.#driver._now()

  _endTurn(): number {
    this.#tell()
    this.wheel.endTurn()
    return this.reals[WAKE]!
  }

  _hold(): void {
    this.#driver._hold()
  }

  _release(): void {
    this.#driver._release()
  }

  _close(): void {
    this.#driver._close()
    this.wheel.close()
    Object.assign(this, closedViews())
  }
}
