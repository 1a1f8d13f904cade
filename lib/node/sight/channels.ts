/** The channels of `node:diagnostics_channel` on which wheels report: see api/channels.ts. */
import type { OpenMessage } from '../../api/channels.js'
import { builtin } from '../host/builtin.js'

interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
}

export interface Channels {
  readonly open: Channel
  readonly expire: Channel
  readonly overrun: Channel
}

let channels: Channels | undefined

/** Nobody hears it. */
const mute: Channel = { hasSubscribers: false, publish() {} }

/** Returns the channels. The first call loads the module, which Node 20 does not load by itself. */
export function openChannels(): Channels {
  if (channels === undefined) {
    const loaded = builtin('node:diagnostics_channel') as { channel(name: string): Channel } | undefined
    // Jest loads nothing more in a realm that it has ended, and timers can still be pending there.
    if (loaded === undefined) return { open: mute, expire: mute, overrun: mute }
    const { channel } = loaded
    channels = {
      open: channel('timeout-wheel:open'),
      expire: channel('timeout-wheel:expire'),
      overrun: channel('timeout-wheel:overrun'),
    }
  }
  return channels
}

/** Tells subscribers of a new wheel. They can use the wheel at once, so it must be complete. */
export function publishOpen(wheel: string, stats: OpenMessage['stats']): void {
  const { open } = openChannels()
  if (!open.hasSubscribers) return
  const message: OpenMessage = { wheel, stats }
  open.publish(message)
}
