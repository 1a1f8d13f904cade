/** Ends workers during operations: by terminate() or by their resource limits. This file is their program too. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { randomFrom } from '../contract/random-from.cjs'
import { Rounds } from './rounds.mjs'

/** Node itself does not start below half a megabyte of stack or 8 MB of memory. */
const LIMITS = [{}, {}, { stackSizeMb: 0.5 }, { maxOldGenerationSizeMb: 12, maxYoungGenerationSizeMb: 2 }]

/** Ends `count` workers, and checks after each that the main thread continues. */
export async function endWorkers(random, name, count) {
  const rounds = new Rounds(random, await import(name), 'none')
  for (let ended = 0; ended < count; ended += 2) {
    await Promise.all([endWorker(random, name), endWorker(random, name)])
    await rounds.run(1, ended + 2 >= count)
  }
}

async function endWorker(random, name) {
  const resourceLimits = random.pick(LIMITS)
  const delay = random.between(0, 30)
  const workerData = { name, seed: random.below(2 ** 31), kind: random.pick(['none', 'stack', 'time']) }
  const worker = new Worker(new URL(import.meta.url), { workerData, resourceLimits })
  const errors = []
  worker.on('error', (error) => errors.push(error))
  const exited = once(worker, 'exit').catch(() => new Promise((resolve) => worker.on('exit', resolve)))
  await Promise.race([new Promise((resolve) => worker.once('message', resolve)), exited])
  await sleep(delay)
  await worker.terminate()
  await exited
  for (const error of errors) if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
}

if (workerData !== null) {
  const { name, seed, kind } = workerData
  const rounds = new Rounds(randomFrom(seed), await import(name), kind)
  parentPort.postMessage('started')
  await rounds.run(Number.POSITIVE_INFINITY)
}
