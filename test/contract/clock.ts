/** The real clock, for tests whose subject it is. */
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Wheel } from './backends.js'

/** The last bits of a reading, in milliseconds: a millionth of what the clock can tell apart. */
export const ROUNDING = 1e-6

export const now = (): number => performance.now()

export function busyWait(ms: number): void {
  for (const end = now() + ms; now() < end; );
}

/** Lets the event loop go on to where it runs immediates: perhaps a part of a turn, at most a whole one. */
export async function turn(): Promise<void> {
  await setImmediate()
}

/** Lets the event loop make a turn that is whole, in whichever of its phases this is called. */
export async function wholeTurn(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** Waits until no timer of the wheel is pending. */
export async function drained(wheel: Wheel): Promise<void> {
  while (wheel.pending > 0) await setTimeout(1)
}
