/** The program of a worker that workers.mjs ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { randomFrom } from './random.mjs'
import { Rounds } from './rounds.mjs'

const { name, seed, kind } = workerData
const rounds = new Rounds(randomFrom(seed), await import(name), kind)
parentPort.postMessage('started')
await rounds.run(Number.POSITIVE_INFINITY)
