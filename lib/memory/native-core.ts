/** The core as a Node addon, on a memory that grows in place if it can. */
import {
  bytesOf,
  type Core,
  GROWTHS_PER_BLOCK,
  grown,
  growths,
  unlessRefused,
  type Views,
  viewsOf,
} from './core.js'
import { BASE_BLOCKS, MAX_BLOCKS } from './layout.js'

/** The class of the addon: native/node/binding.h. It does not check arguments. */
export interface AddonWheel {
  openEpoch(now?: number): void
  closeEpoch(now?: number): void
  takeSubmissions(): void
  expire(advanced: number): number
  advance(target: number): number
  extend(words: Int32Array, blocks: number): void
  hold(keepsLoopAlive: boolean): void
  close(): void
}

/**
 * @param tick the length of a tick in whole microseconds
 * @param client the scheduler that the addon wakes; undefined for a core without a driver
 * @param dispatch its method, bound to it
 */
export type AddonWheelConstructor = new (
  words: Int32Array,
  blocks: number,
  tick: number,
  client: object | undefined,
  dispatch: (() => boolean) | undefined,
) => AddonWheel

interface Client {
  dispatch(): boolean
}

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
      initial: (BASE_BLOCKS + 1) * GROWTHS_PER_BLOCK,
      maximum: (BASE_BLOCKS + MAX_BLOCKS) * GROWTHS_PER_BLOCK,
      shared: true,
    })
  } catch {
    // Never try again: the engine collects garbage several times before it gives up.
    canReserve = false
    return undefined
  }
}

export class NativeCore implements Core {
  words: Int32Array
  reals: Float64Array
  blocks = 1
  readonly wheel: AddonWheel
  /** Undefined: the memory is a plain buffer, which is copied when it grows. */
  readonly #memory = reserve()

  /** @param tick the length of a tick in milliseconds */
  constructor(Wheel: AddonWheelConstructor, tick: number, client: Client | undefined) {
    const { words, reals } = viewsOf(this.#memory?.buffer ?? new ArrayBuffer(bytesOf(1)))
    this.words = words
    this.reals = reals
    this.wheel = new Wheel(words, 1, Math.round(tick * 1000), client, client?.dispatch.bind(client))
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
    return growths(this.blocks).some((more) => this.#growBy(more, owner))
  }

  #growBy(more: number, owner: Views): boolean {
    const memory = this.#memory
    const blocks = this.blocks + more
    const buffer = memory ? grown(memory, more) : unlessRefused(() => new ArrayBuffer(bytesOf(blocks)))
    if (buffer === undefined) return false
    const { words, reals } = viewsOf(buffer)

    if (memory === undefined) words.set(this.words)
    this.wheel.extend(words, blocks)
    this.blocks = blocks
    this.words = owner.words = words
    this.reals = owner.reals = reals
    return true
  }
}
