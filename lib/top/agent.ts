/**
 * Runs in the program that `timeout-wheel top` starts, before the program: replaces its timers, and sends a view of them once a
 * second and at the end. A program whose event loop is blocked sends nothing.
 */
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import type { ExpireMessage, OpenMessage } from '../api/channels.js'
import { nameOf, openLateness } from '../common/lateness.js'
import { type CallbackRow, render, type WheelRow } from './render.js'

const VARIABLE = 'TIMEOUT_WHEEL_TOP'

const [views, interval, isOnce] = (process.env[VARIABLE] ?? '').split(':').map(Number)
// The program's own children are not shown.
delete process.env[VARIABLE]

/** Node's own, from before they are replaced. */
const { setInterval } = globalThis
const wheels = new Set<WheelRow & Pick<OpenMessage, 'stats'>>()
const callbacks = new Map<string, CallbackRow>()
let lateness = openLateness()
let lastAt = 0

function addWheel({ wheel, stats }: OpenMessage): void {
  wheels.add({ name: wheel, stats, counts: stats(), before: undefined })
}

function addCall({ callback, lateness: late, duration }: ExpireMessage): void {
  lateness.add(late)
  const name = nameOf(callback)
  const row = callbacks.get(name) ?? { name, runs: 0, longest: 0, all: 0 }
  callbacks.set(name, row)
  row.runs++
  row.longest = Math.max(row.longest, duration)
  row.all += duration
}

function send(): void {
  const at = process.uptime() * 1000
  for (const row of wheels) row.counts = row.stats()
  const lines = render(at, at - lastAt, [...wheels], lateness.read(), [...callbacks.values()])
  for (const row of wheels) {
    // Only a stopped wheel has no memory.
    if (row.counts.bytes === 0) wheels.delete(row)
    if (!isOnce) row.before = row.counts
  }
  if (!isOnce) {
    lastAt = at
    lateness = openLateness()
  }
  try {
    writeSync(views!, `${JSON.stringify(lines)}\n`)
  } catch {
    // The command has ended. The program goes on.
  }
}

if (isMainThread && views! > 2 && interval !== undefined) {
  subscribe('timeout-wheel:open', addWheel as (message: unknown) => void)
  subscribe('timeout-wheel:expire', addCall as (message: unknown) => void)
  await import('timeout-wheel/register')
  setInterval(send, interval).unref()
  process.on('exit', send)
}
