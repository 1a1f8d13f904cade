/** The core as a Node addon, on a memory that grows in place. */
import type { Core, Views } from './core.js'
import { GrowableMemory } from './growable-memory.js'
import { carryOver } from './layout.js'

/** The class of the addon: native/node/binding.h. It does not check arguments. */
export interface AddonWheel {
  openEpoch(now?: number): void
  closeEpoch(now?: number): void
  takeSubmissions(): void
  expire(advanced: number, now?: number): number
  isTickDue(): boolean
  advance(target: number): number
  extend(words: Int32Array, blocks: number): void
  renew(words: Int32Array, tick: number): void
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

export class NativeCore implements Core {
  words!: Int32Array
  reals!: Float64Array
  readonly wheel: AddonWheel
  #memory = new GrowableMemory(1)

  get blocks(): number {
    return this.#memory.blocks
  }

  /** @param tick the length of a tick in milliseconds */
  constructor(Wheel: AddonWheelConstructor, tick: number, client: Client | undefined) {
    const { buffer, blocks } = this.#memory
    this.words = new Int32Array(buffer)
    this.reals = new Float64Array(buffer, 0, 256)
    this.wheel = new Wheel(this.words, blocks, Math.round(tick * 1000), client, client?.dispatch.bind(client))
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

    // The addon and both owners of views change together: `extend` is the last call.
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

    // Together, as in grow().
    this.wheel.renew(words, (advanced + 1) | 0)
    this.#memory = memory
    this.words = owner.words = words
    this.reals = owner.reals = reals
    return true
  }
}
