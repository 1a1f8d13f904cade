/** Virtual time for both sides of a connection in one process. */
import { spawnSync } from 'node:child_process'

/** Real milliseconds of a pause. */
const PAUSE = 3

/**
 * Virtual time jumps to the next timer even if the operating system is about to deliver a message. From now on it jumps at most by `step`
 * milliseconds, with a pause in real time after each step. Returns a function that ends this.
 */
export function passSlowly(step) {
  // `Atomics.wait` would wait by the virtual clock.
  const pause = () => spawnSync('sleep', [String(PAUSE / 1_000)], { env: {} })
  const beat = setInterval(pause, step)
  return () => clearInterval(beat)
}
