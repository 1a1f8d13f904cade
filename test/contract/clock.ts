/** Helpers for tests of the real clock. */
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Wheel } from './backends.js'

/** Tolerance for rounding in the last bits of a reading, in milliseconds: a millionth of the clock's resolution. */
export const ROUNDING = 1e-6

export const now = (): number => performance.now()

export function busyWait(ms: number): void {
  for (const end = now() + ms; now() < end; );
}

/** Lets the event loop go on to its next immediates: after a part of a turn or a whole turn. */
export async function turn(): Promise<void> {
  await setImmediate()
}

/** Lets the event loop make at least one whole turn, in whichever phase it is called. */
export async function wholeTurn(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** Waits until no timer of the wheel is pending. */
export async function drained(wheel: Wheel): Promise<void> {
  while (wheel.pending > 0) await setTimeout(1)
}
