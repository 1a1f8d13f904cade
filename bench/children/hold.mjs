/** node hold.mjs <contender> <timers>: sends the bytes of a pending timer, and those of the whole process. */

import { loadContender } from '../contenders/index.mjs'
import { measureBytes } from '../loops/hold.mjs'

const [, , contender, countText] = process.argv
const count = Number(countText)
const delay = count > 1_000_000 ? 600_000 : 30_000

const bytes = await measureBytes(await loadContender(contender), { count, delay })
process.send?.(bytes, () => process.exit()) // the pending timers would keep the process alive
