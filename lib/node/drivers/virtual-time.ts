/** The backend in virtual time: see common/virtual-time.ts. */
import { FOREVER } from '../../common/constants.js'
import { openVirtualTime, type VirtualTime, type VirtualWheel } from '../../common/virtual-time.js'
import type { Core } from '../../memory/core.js'
import { ARMED, REFERENCED, UNREFERENCED, WAKE } from '../../memory/layout.js'
import { Backend, type Client } from './backend.js'

export class VirtualTimeBackend extends Backend implements VirtualWheel {
  override readonly virtual = this
  readonly #client: Client
  /** Virtual time, in ticks. */
  #clock!: () => number
  readonly #time: VirtualTime
  _stopped = false
  _ran = 0

  constructor(core: Core, tick: number, client: Client) {
    super(core)
    this.#client = client
    this.#time = openVirtualTime(tick, (clock) => {
      this.#clock = clock
      return this
    })
  }

  /** Virtual time, in milliseconds. */
  get time(): number {
    return this.#time._time()
  }

  now(): number {
    return this.#clock()
  }

  hold(): void {}

  idle(): void {}

  close(): void {
    this._stopped = true
  }

  /** See {@link VirtualTime}. */
  run(ms: number, limit: number): void {
    this.#time._run(ms, limit)
  }

  _pending(): number {
    const { words } = this.core
    return words[REFERENCED]! + words[UNREFERENCED]!
  }

  _step(): boolean {
    // With a budget of 0 a slice runs at most one callback.
    const more = this.#client.dispatch()
    if (this.#client.isUndrained) this._ran++
    return more
  }

  _nextWake(): number {
    const { words } = this.core
    const now = this.now()
    this.closeEpoch(this.#client, now)
    if (words[ARMED] === 0) return FOREVER
    const tick = Math.floor(now)
    const ahead = (words[WAKE]! - (tick | 0)) | 0
    // At the end of virtual time, the sum can round to `tick` itself.
    if (ahead > 0 && tick + ahead === tick) return FOREVER
    return tick + ahead
  }
}
