/**
 * Runs a program with interruptions. It is a process, because it may crash or hang.
 *
 *   node [flags] test/interrupt/child.mjs '{"seed":1,"backend":"native","kind":"stack","rounds":100}'
 *
 * It prints "done" and ends by itself. A fault ends it with an error.
 *
 * The kinds of interruption: `stack`, the stack ends; `time`, a time limit of `node:vm` ends; `cold-stack` and `cold-time`, the
 * first two during the first operations of a fresh copy of the library; `worker`, a worker is terminated or runs out of memory; `none`, no interruption, to check the checks.
 */
import { createRequire } from 'node:module'
import { randomFrom } from '../contract/random-from.cjs'
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

if (kind === 'worker') await endWorkers(random, name, count)
else if (!kind.startsWith('cold-')) await new Rounds(random, await import(name), kind).run(count)
else {
  for (let round = 0; round < count; round++)
    await new Rounds(random, freshLibrary(), kind.slice('cold-'.length), SHARED).runCold()
}
console.log('done')
