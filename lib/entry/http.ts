/** `timeout-wheel/http`: idle timeouts of the connections of a server, on the shared wheel or on one of its own. */
import type { IdleTimeoutFunction } from '../api/idle-timeout.js'
import { idleTimeoutOn } from '../node/idle-timeout.js'
import { timerGroup } from './node.js'

export type * from '../api/idle-timeout.js'

export const idleTimeout: IdleTimeoutFunction = idleTimeoutOn({ group: timerGroup })
