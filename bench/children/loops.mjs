/** node loops.mjs <contender>: runs the loop that each message names, and sends its result. */

import { loadContender } from '../contenders/index.mjs'
import * as loops from '../loops/index.mjs'

const timers = await loadContender(process.argv[2])
const byName = /** @type {Record<string, (timers: any, options: any) => Promise<number>>} */ ({ ...loops })

// One loop at a time: the next message comes after the answer.
process.on('message', async (/** @type {{ loop: string, options: any }} */ { loop, options }) => {
  process.send?.(await byName[loop](timers, options))
})
