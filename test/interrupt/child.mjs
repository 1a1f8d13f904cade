/**
 * Runs a program with interruptions. It is a process, because it may crash or hang.
 *
 *   node [flags] test/interrupt/child.mjs '{"seed":1,"backend":"native","kind":"stack","rounds":100}'
 *
 * It prints one line and ends by itself. A fault ends it with an error.
 *
 * The kinds of interruption: `stack`, the stack ends; `time`, a time limit of `node:vm` ends; `cold-stack` and `cold-time`, the
 * first two during the first operations of a fresh copy
 * of the library; `worker`, a worker is terminated or runs out of memory; `none`, no interruption, to check the checks.
 */
import { createRequire } from 'node:module'
import { randomFrom } from './random.mjs'
import { Rounds, SHARED } from './rounds.mjs'
import { endWorkers } from './workers.mjs'

const { seed, backend, kind, rounds: count } = JSON.parse(process.argv[2])
const random = randomFrom(seed)
const name = `timeout-wheel/${backend}`
const require = createRequire(import.meta.url)

/** Loads the library as in a program that has just started. */
function freshLibrary() {
  for (const file of Object.keys(require.cache)) if (/[\\/]dist[\\/]/.test(file)) delete require.cache[file]
  return require(name)
}

async function run() {
  if (kind === 'worker') return `${await endWorkers(random, name, count)} workers`
  let interruptions = 0
  if (kind.startsWith('cold-')) {
    for (let round = 0; round < count; round++) {
      const rounds = new Rounds(random, freshLibrary(), kind.slice('cold-'.length), SHARED)
      await rounds.runCold()
      interruptions += rounds.interruptions
    }
  } else {
    const rounds = new Rounds(random, await import(name), kind)
    await rounds.run(count)
    interruptions = rounds.interruptions
  }
  return `${interruptions} interruptions`
}

console.log(await run())
