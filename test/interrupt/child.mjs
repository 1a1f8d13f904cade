/**
 * A program with interruptions, in a process of its own, as it may crash or hang.
 *
 *   node [flags] test/interrupt/child.mjs '{"seed":1,"backend":"native","kind":"stack","rounds":100}'
 *
 * It prints one line and ends by itself: a fault ends it with an error.
 */
import { Rounds } from './rounds.mjs'
import { randomFrom } from './random.mjs'

const { seed, backend, kind, rounds: count } = JSON.parse(process.argv[2])
const rounds = new Rounds(randomFrom(seed), await import(`timeout-wheel/${backend}`), kind)
await rounds.run(count)
console.log(`${rounds.interruptions} interruptions`)
