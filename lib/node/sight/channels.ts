/**
 * The channels of `node:diagnostics_channel` on which wheels report: see api/channels.ts. Node loads that module only when a
 * program uses it. As long as no program has, nobody listens, and it is not loaded here either: that takes 0.2 ms.
 */
import { builtin } from '../host/builtin.js'
import { isNode } from '../host/is-node.js'

interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
}

export interface Channels {
  readonly expire: Channel
  readonly overrun: Channel
}

const MODULE = 'NativeModule diagnostics_channel'

let channels: Channels | undefined
/** The number of Node's loaded modules that were looked at. */
let seen = 0

/** Returns the channels; undefined while nobody can listen to them. */
export function openChannels(): Channels | undefined {
  if (channels === undefined && isLoaded()) {
    const loaded = builtin('node:diagnostics_channel') as { channel(name: string): Channel } | undefined
    // Jest loads nothing more in a realm that it has ended, and timers can still be pending there.
    if (loaded === undefined) return undefined
    const { channel } = loaded
    channels = { expire: channel('timeout-wheel:expire'), overrun: channel('timeout-wheel:overrun') }
  }
  return channels
}

/** Whether the program has loaded the module; true if the runtime does not tell. */
function isLoaded(): boolean {
  // In a realm of test tools, the list is a copy.
  if (!isNode || !(process.dlopen instanceof Function)) return true
  const list = Reflect.get(process, 'moduleLoadList') as string[]
  for (; seen < list.length; seen++) if (list[seen] === MODULE) return true
  return false
}
