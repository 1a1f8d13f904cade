/**
 * node packages.mjs <program> <package | own>: runs a program of `packages/`. Sends the milliseconds of CPU time that the process
 * has used since its start, and the peak of its memory in mebibytes.
 */

import { programs } from '../packages/index.mjs'

const [, , id, way] = process.argv
const program = programs.find((one) => one.id === id)
const works = await program?.load()
const run = works?.[/** @type {'package' | 'own'} */ (way)]
if (run === undefined) throw new RangeError(`there is no program '${id}' with '${way}'`)
await run()
const { user, system } = process.cpuUsage()
process.send?.({ cpu: (user + system) / 1_000, memory: process.resourceUsage().maxRSS / 1_024 })
process.disconnect?.()
