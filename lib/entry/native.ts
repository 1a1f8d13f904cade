/** `timeout-wheel/native`: the addon, or an error that says why not. */
import { loadAddon, openNativeBackend, openNativeCore } from '../backend/native.js'
import { immediates, nodeHost } from '../hosts/node.js'
import { timersOn } from '../timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'

export type * from './types.js'

loadAddon()

export const { TimerWheel, setTimeout, setInterval, clearTimeout, clearInterval, promises } = timersOn({
  host: nodeHost,
  openCore: openNativeCore,
  openBackend: openNativeBackend,
})
export type TimerWheel = Wheel
export const { setImmediate, clearImmediate } = immediates

/** Which build of the core runs. */
export const backend = 'native'
