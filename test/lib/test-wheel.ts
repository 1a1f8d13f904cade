/** A wheel for white-box tests, which provide its clock and its turns. */
import type { Core } from '../../lib/memory/core.js'
import { SUBMITTED } from '../../lib/memory/layout.js'
import { openWasmCore } from '../../lib/memory/wasm-core.js'
import { Backend, type Client, expireAt } from '../../lib/node/drivers/backend.js'
import { timeoutClass } from '../../lib/node/handles/handle.js'
import { ONCE, type WheelTimeout } from '../../lib/node/handles/state.js'
import { nodeHost } from '../../lib/node/host/node-host.js'
import { Scheduler } from '../../lib/node/scheduler/scheduler.js'

/** The class of handles without an async resource. */
export const Timeout = timeoutClass(nodeHost, false)

export class TestWheel {
  now = 0
  readonly scheduler: Scheduler
  readonly core: Core = openWasmCore()

  constructor() {
    const open = (_tick: number, client: Client): Backend => ({
      core: this.core,
      now: () => this.now,
      openEpoch: () => this.core.openEpoch(this.now),
      closeEpoch: Backend.prototype.closeEpoch,
      fileSubmissions: () => this.core.takeSubmissions(),
      expire: (advanced) => expireAt(this.core, advanced, this.now),
      hold: () => {},
      idle: () => {},
      close: () => {
        client.epochEnd = 0
      },
    })
    this.scheduler = new Scheduler(open, nodeHost, 1, Number.POSITIVE_INFINITY)
  }

  set(callback: () => void, ms: number): WheelTimeout {
    return new Timeout(callback, ms, ONCE, [], this.scheduler)
  }

  /** Ends a turn of the event loop, as a driver does. */
  endTurn(): void {
    this.core.closeEpoch(this.now)
    this.scheduler.epochEnd = 0
    if (this.core.words[SUBMITTED] !== 0) this.core.takeSubmissions()
  }

  /** Makes a turn that begins at `now`, however late that is. */
  turn(now: number): void {
    this.now = now
    while (this.scheduler.dispatch());
    this.endTurn()
  }

  /** Advances tick by tick. */
  goTo(now: number): void {
    while (this.now < now) this.turn(this.now + 1)
  }
}

/** The private fields that these tests need. */
export const inside = (wheel: TestWheel): { order: number; log: { length: number } } =>
  wheel.scheduler as unknown as { order: number; log: { length: number } }
