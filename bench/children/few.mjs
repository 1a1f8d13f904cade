/**
 * node few.mjs [contender]: ten timers, each set again when it has run, 100 runs a second in all. Without a contender there are
 * no timers. Answers each message with the CPU time and the memory of the process.
 */

import { loadContender } from '../contenders/index.mjs'
import { randomNumbers } from '../runner/random.mjs'

const [, , contender] = process.argv
const random = randomNumbers(8)

if (contender !== undefined) {
  const timers = await loadContender(contender)
  const onTimeout = () => {
    timers.set(onTimeout, delay())
  }
  for (let i = 0; i < 10; i++) timers.set(onTimeout, delay())
}

function delay() {
  return 50 + Math.floor(random() * 100)
}

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: user + system, resident: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
