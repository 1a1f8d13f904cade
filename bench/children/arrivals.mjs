/**
 * A thread that posts a message at random moments, two milliseconds apart at most, as requests arrive: whatever the thread
 * that listens is doing.
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
