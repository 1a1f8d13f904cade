/** node idle.mjs [contender]: sets one timer an hour away, or none without a contender, sends a message, and does nothing more. */

import { loadContender } from '../contenders/index.mjs'

const [, , contender] = process.argv
if (contender !== undefined) {
  const timers = await loadContender(contender)
  timers.set(() => {}, 3_600_000)
}
process.send?.('idle')
process.on('disconnect', () => process.exit())
