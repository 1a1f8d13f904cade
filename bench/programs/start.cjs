/** node [--require <module>] start.cjs <folder>: loads all files of a folder. Sends the CPU time and the memory of the process. */
const { readdirSync } = require('node:fs')
const path = require('node:path')

const folder = process.argv[2]
for (const file of readdirSync(folder)) require(path.join(folder, file))
const { user, system } = process.cpuUsage()
process.send?.({ cpu: (user + system) / 1_000, memory: process.memoryUsage.rss() / 2 ** 20 })
process.disconnect?.()
