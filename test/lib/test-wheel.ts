/** A wheel for white-box tests, which provide its clock and its turns. */
import type { Core } from '../../lib/memory/core.js'
import { ARMED, SUBMITTED, WAKE } from '../../lib/memory/layout.js'
import { openWasmCore } from '../../lib/memory/wasm-core.js'
import { Backend, type Client, expireAt } from '../../lib/node/drivers/backend.js'
import { openNativeCore } from '../../lib/node/drivers/native.js'
import { timeoutClass } from '../../lib/node/handles/handle.js'
import { ONCE, REPEATS, type WheelTimeout } from '../../lib/node/handles/state.js'
import { nodeHost } from '../../lib/node/host/node-host.js'
import { Scheduler } from '../../lib/node/scheduler/scheduler.js'

/** The class of handles without an async resource. */
export const Timeout = timeoutClass(nodeHost, false)

export class TestWheel {
  now: number
  /** How often the scheduler has read the clock. */
  readings = 0
  readonly scheduler: Scheduler
  readonly core: Core

  constructor(start = 0, core: Core = openWasmCore()) {
    this.now = start
    this.core = core
    const open = (_tick: number, client: Client): Backend => ({
      core: this.core,
      now: () => this.read(),
      openEpoch: () => this.core.openEpoch(this.read()),
      closeEpoch: Backend.prototype.closeEpoch,
      fileSubmissions: () => this.core.takeSubmissions(),
      expire: (advanced) => this.expire(advanced),
      hold: () => {},
      idle: () => {},
      close: () => {
        client.epochEnd = 0
      },
    })
    this.scheduler = new Scheduler(open, nodeHost, 1, Number.POSITIVE_INFINITY)
  }

  protected expire(advanced: number): number {
    return expireAt(this.core, advanced, this.read())
  }

  protected read(): number {
    this.readings++
    return this.now
  }

  set(callback: () => void, ms: number): WheelTimeout {
    return new Timeout(callback, ms, ONCE, [], this.scheduler)
  }

  schedule(callback: () => void, ms: number): number {
    return this.scheduler.scheduleId(callback, undefined, ms)
  }

  repeat(callback: () => void, ms: number): WheelTimeout {
    return new Timeout(callback, ms, REPEATS, [], this.scheduler)
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

type NativeCore = Core & { wheel: { isTickDue(): boolean; expire(advanced: number, now: number): number } }

/** A wheel on the core of the addon, which expires a tick as soon as all of its timers are due. Its clock has fractions of a tick. */
export class FineWheel extends TestWheel {
  /** How often the wheel ran timers before the end of their tick. */
  ahead = 0
  declare readonly core: NativeCore

  constructor(start: number) {
    super(start, openNativeCore())
  }

  protected override expire(advanced: number): number {
    return this.core.wheel.expire(advanced, this.read())
  }

  /** As the driver does after the event loop wakes: it dispatches if the wheel is due. */
  override turn(now: number): void {
    this.now = now
    const { words } = this.core
    this.scheduler.settledNow()
    const isAhead = ((words[WAKE]! - Math.floor(now)) | 0) > 0
    const isDue = words[ARMED] !== 0 && (!isAhead || this.core.wheel.isTickDue())
    if (isDue && isAhead) this.ahead++
    if (isDue) super.turn(now)
    else this.endTurn()
  }
}

/** The private fields that these tests need. */
export const inside = (wheel: TestWheel): { order: number; log: { length: number } } =>
  wheel.scheduler as unknown as { order: number; log: { length: number } }
