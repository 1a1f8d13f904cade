/** What an entry chooses for its wheels: the runtime, the build of the core, and the driver. */
import type { Kernel } from '../../kernel/kernel.js'
import type { Core, OpenCore } from '../../memory/core.js'
import type { Host } from './node-host.js'

/** What a driver wakes. The driver for test tools replaces `drain` and `catchesErrors`, and sets `opened`. */
export interface Client {
  /**
   * Runs due timers, for at most the wheel's budget. After that, the host runs the queues of the last callback. Then the driver calls
   * `ended`.
   *
   * @returns whether due timers are left for the next turn of the event loop
   * @throws the error of a callback. The host of the driver gets it, and the driver calls again for the rest
   */
  dispatch(): boolean
  /**
   * Called with the length of each slice in milliseconds, at least if that reaches the word `LONG_SLICE`. On the addon it contains the next
   * ticks and microtasks of the last callback.
   */
  ended(took: number): void
  /** If there, called when the wheel is open. */
  opened?(kernel: Kernel): void
  /** Runs next ticks and microtasks between two callbacks. */
  drain: Host['drain']
  catchesErrors: Host['catchesErrors']
}

/** Opens a core that wakes a wheel. @param tick the length of a tick in milliseconds */
export type OpenLoop = (tick: number, client: Client) => Core

/** The runtime and the build of the core for the wheels of an entry. */
export interface Platform {
  readonly host: Host
  readonly openLoop: OpenLoop
  readonly openCore: OpenCore
}
