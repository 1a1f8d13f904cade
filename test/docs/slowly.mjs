/** Virtual time that leaves the operating system time to carry messages between the sockets of a process. */
import { spawnSync } from 'node:child_process'

/** Virtual milliseconds between two pauses. */
const STEP = 1_000

/** Passes so many milliseconds of virtual time: a multiple of `STEP`. A message may take one. @param {number} ms */
export async function sleep(ms) {
  for (let passed = 0; passed < ms; passed += STEP) {
    await new Promise((resolve) => setTimeout(resolve, STEP))
    // A pause in real time. `Atomics.wait` would wait by the virtual clock.
    spawnSync('sleep', ['0.001'], { env: {} })
  }
}
