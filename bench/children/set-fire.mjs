/** node set-fire.mjs <contender> <timers> <longest delay in ms>: sends CPU time and lateness. */

import { loadContender } from '../contenders/index.mjs'
import { setAndFire } from '../loops/fire.mjs'
import { watchProgress } from './message.mjs'

const [, , contender, countText, longestText] = process.argv

const timers = await loadContender(contender)
// The timers of some rivals do not keep a process alive.
process.channel?.ref()
const options = { count: Number(countText), longest: Number(longestText), watch: watchProgress }
process.send?.(await setAndFire(timers, options))
process.disconnect?.()
