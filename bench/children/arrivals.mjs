/**
 * A thread that posts messages at random moments, at most two milliseconds apart, as requests arrive: independent of the thread
 * that receives them.
 */

import { parentPort } from 'node:worker_threads'
import { randomNumbers } from '../runner/random.mjs'

const longestPause = 2

const random = randomNumbers(7)
const never = new Int32Array(new SharedArrayBuffer(4))

for (;;) {
  Atomics.wait(never, 0, 0, random() * longestPause)
  parentPort?.postMessage(undefined)
}
