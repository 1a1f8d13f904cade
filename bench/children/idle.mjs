/** node idle.mjs [contender]: one timer an hour away, none without a contender, and nothing else to do. Sends a message. */

import { loadContender } from '../contenders/index.mjs'

const [, , contender] = process.argv
if (contender !== undefined) {
  const timers = await loadContender(contender)
  timers.set(() => {}, 3_600_000)
}
process.send?.('idle')
process.on('disconnect', () => process.exit())
