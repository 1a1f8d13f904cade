/** The channels of `node:diagnostics_channel` on which wheels report: see api/channels.ts. */
import type { OpenMessage } from '../../api/channels.js'
import { builtin } from '../host/builtin.js'

const { channel } = builtin('node:diagnostics_channel') as typeof import('node:diagnostics_channel')

const opened = channel('timeout-wheel:open')
export const expired = channel('timeout-wheel:expire')
export const overrun = channel('timeout-wheel:overrun')

/** Tells subscribers of a new wheel. They can use the wheel at once, so it must be complete. */
export function publishOpen(wheel: string, stats: OpenMessage['stats']): void {
  if (!opened.hasSubscribers) return
  const message: OpenMessage = { wheel, stats }
  opened.publish(message)
}
