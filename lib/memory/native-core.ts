/** The core as a Node addon, on a memory that grows in place if it can. */
import type { Core, DrivenCore, Driver } from './core.js'
import { bytesOfBlocks, closedViews, grow, growPart, unlessRefused, viewsOf } from './growable-memory.js'
import {
  CLOCK,
  MAX_BLOCKS,
  RECORDS_PER_BLOCK,
  REFERENCED,
  UNREFERENCED,
  WAKE,
  WASM_GROWTH,
} from './layout.js'

/** What the addon calls: see lib/node/host/platform.ts. */
interface Client {
  dispatch(): boolean
  ended(took: number): void
}

/**
 * The class of the addon: native/node/binding.h. It does not check arguments. `readClock` writes the time into the memory. Without
 * a client, JavaScript writes it there before each other call.
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

/** @param client undefined: the wheel has no place on the loop */
export type AddonWheelConstructor = new (
  words: Int32Array,
  blocks: number,
  ticksPerMs: number,
  client?: Client,
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
      initial: bytesOfBlocks(1) / WASM_GROWTH,
      maximum: bytesOfBlocks(MAX_BLOCKS) / WASM_GROWTH,
      shared: true,
    })
  } catch {
    // Never try again: the engine collects garbage several times before it gives up.
    canReserve = false
    return undefined
  }
}

/** A wheel of the addon on its memory. The parameters are those of {@link AddonWheelConstructor}. */
function openMemory(Wheel: AddonWheelConstructor, tick: number, client?: Client) {
  let blocks = 1
  /** Undefined: the memory is a plain buffer, which is copied when it grows. */
  const memory = reserve()
  const views = viewsOf(memory?.buffer ?? new ArrayBuffer(bytesOfBlocks(1)))
  const wheel = new Wheel(views.words, 1, 1 / tick, client)

  function growTo(core: Core, count: number): boolean {
    const allocate = () => new ArrayBuffer(bytesOfBlocks(count))
    const buffer = memory ? grow(memory, count) && memory.buffer : unlessRefused(allocate)
    if (!buffer) return false
    const { words, reals } = viewsOf(buffer)
    if (memory === undefined) words.set(core.words)
    if (!wheel.extend(words, count)) return false
    blocks = count
    core.words = words
    core.reals = reals
    return true
  }

  return {
    wheel,
    views,
    grow(core: Core): number {
      growPart(blocks, (count) => growTo(core, count))
      return blocks * RECORDS_PER_BLOCK
    },
  }
}

const resolved = Promise.resolve()

/** A wheel that the addon drives: it reads the clock of the event loop itself, and calls its client. */
export function openLoopCore(Wheel: AddonWheelConstructor, tick: number, client: Client): Core {
  const { wheel, views, grow } = openMemory(Wheel, tick, client)
  /** A microtask is queued that releases the event loop. */
  let isReleasing = false

  function readClock(): number {
    wheel.readClock()
    return core.reals[CLOCK]!
  }

  function hold(): void {
    wheel.hold()
  }

  function releaseNow(): void {
    isReleasing = false
    if (core.words[REFERENCED] === 0) wheel.release()
  }

  // Each view is stored once until the memory grows: see core.ts.
  const core: Core = {
    words: views.words,
    reals: views.reals,
    _grow: () => grow(core),
    // A function of the addon, without one of ours between. The other functions of the core keep the wheel alive.
    _apply: wheel.apply,
    _resume: () => wheel.resume(),
    _readClock: readClock,
    _hold: hold,
    /**
     * The addon also releases the loop before the loop sleeps. That is too late in `beforeExit`: a timer that is set and cleared there
     * must not cause another turn, which would end in the next `beforeExit`. Once a turn, because code sets and clears in loops.
     */
    _release() {
      if (isReleasing) return
      resolved.then(releaseNow)
      isReleasing = true
    },
    _close() {
      // The addon looks at the counts again after the callback that has stopped the wheel, and in `releaseNow`.
      core.words[REFERENCED] = core.words[UNREFERENCED] = 0
      wheel.close()
      // The clock goes on.
      core.words = closedViews().words
    },
  }
  return core
}

/** A wheel on the addon with a driver in JavaScript. */
export function openClockedCore(Wheel: AddonWheelConstructor, tick: number, driver: Driver): DrivenCore {
  const { wheel, views, grow } = openMemory(Wheel, tick)
  /** Tells the addon the time. */
  function tell(): void {
    core.reals[CLOCK] = driver._now()
  }
  const core: DrivenCore = {
    words: views.words,
    reals: views.reals,
    _grow: () => grow(core),
    _apply() {
      // First, because a time limit of `vm` can end the call after the queue was applied.
      driver._applies()
      tell()
      wheel.apply()
    },
    _expire() {
      tell()
      wheel.expire()
    },
    _resume() {
      tell()
      wheel.resume()
    },
    _readClock: driver._now,
    _endTurn() {
      tell()
      wheel.endTurn()
      return core.reals[WAKE]!
    },
    _hold: driver._hold,
    _release: driver._release,
    _close() {
      driver._close()
      wheel.close()
      Object.assign(core, closedViews())
    },
  }
  return core
}
