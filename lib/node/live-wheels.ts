/** Warns, once, of a program that makes wheels without end. One wheel serves any number of timers. */

/** The number of wheels at which the warning comes, as with Netty; 0: it has come. */
let many = 64
/** The wheels that are neither stopped nor collected. */
let live = 0

const collected = /* @__PURE__ */ new FinalizationRegistry(() => {
  live--
})

/** Counts a new wheel. @param scheduler lives as long as the wheel or its timers */
export function countWheel(scheduler: object, warn: (message: string, name: string) => void): void {
  collected.register(scheduler, 0, scheduler)
  if (++live !== many) return
  many = 0
  warn('64 wheels are live: stop() unused wheels, or share one', 'TimerWheelWarning')
}

/** Called when a wheel was stopped, once or more often. */
export function forgetWheel(scheduler: object): void {
  if (collected.unregister(scheduler)) live--
}
