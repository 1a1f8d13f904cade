/**
 * Runs in the program that `timeout-wheel top` starts, before the program: replaces its timers, and reports on them once a
 * second, on request, and at the end. A loop that is blocked reports nothing.
 */
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import type { ExpireMessage } from '../api/channels.js'
import type { WheelStats } from '../api/stats.js'
import { openLateness } from '../common/lateness.js'
import { nameOf } from '../common/name-of.js'
import type { CallbackReport, Report, WheelReport } from './report.js'

/** The part of a scheduler that the agent uses. */
interface EnteredWheel {
  readonly name: string
  readonly stopped: boolean
  readonly stats: WheelStats
  pendingDelays(most: number): [number, number][]
}

/** The property of `globalThis` in which wheels enter themselves: see node/sight/entered-wheels.ts. */
const ENTERED = Symbol.for('timeout-wheel.entered')
const VARIABLE = 'TIMEOUT_WHEEL_TOP'
const SHOWN = 20
/** Further names are counted together, because a program can make any number of names. */
const MOST_NAMES = 1000
/** The timers that are looked at for their delays. Of more, a part stands for all. */
const MOST_TIMERS = 50_000

const [reports, requests, interval] = (process.env[VARIABLE] ?? '').split(':').map(Number)
// The program's own children are not shown.
delete process.env[VARIABLE]

/** Node's own, from before they are replaced. */
const { setInterval } = globalThis
const wheels = new Set<EnteredWheel>()
const ids = new WeakMap<EnteredWheel, number>()
let lastId = 0
const callbacks = new Map<string, { count: number; total: number; max: number }>()
let lateness = openLateness()

function count({ callback, lateness: late, duration }: ExpireMessage): void {
  lateness._add(late)
  const own = nameOf(callback)
  const name = callbacks.has(own) || callbacks.size < MOST_NAMES ? own : '(others)'
  const entry = callbacks.get(name) ?? { count: 0, total: 0, max: 0 }
  callbacks.set(name, entry)
  entry.count++
  entry.total += duration
  entry.max = Math.max(entry.max, duration)
}

function reportOf(wheel: EnteredWheel): WheelReport {
  const id = ids.get(wheel) ?? ++lastId
  ids.set(wheel, id)
  return { id, name: wheel.name, ...wheel.stats }
}

function delays(): [number, number][] {
  const sums = new Map<number, number>()
  for (const wheel of wheels) {
    for (const [ms, count] of wheel.pendingDelays(MOST_TIMERS)) sums.set(ms, (sums.get(ms) ?? 0) + count)
  }
  return [...sums]
}

function slowest(): CallbackReport[] {
  const all = Array.from(callbacks, ([name, entry]) => ({ name, ...entry }))
  return all.sort((a, b) => b.max - a.max).slice(0, SHOWN)
}

function send(isLast: boolean): void {
  const report: Report = {
    isLast,
    at: process.uptime() * 1000,
    wheels: Array.from(wheels, reportOf),
    delays: delays(),
    lateness: lateness._read(),
    callbacks: slowest(),
  }
  for (const wheel of wheels) if (wheel.stopped) wheels.delete(wheel)
  lateness = openLateness()
  try {
    writeSync(reports!, `${JSON.stringify(report)}\n`)
  } catch {
    // The view has ended. The program goes on.
  }
}

/** Requests have a descriptor of their own, because a socket makes its descriptor one on which `writeSync` can fail. */
function listen(): void {
  const socket = new Socket({ fd: requests!, readable: true, writable: false })
  // The view can end before the program.
  socket.on('data', () => send(false)).on('error', () => {})
  socket.unref()
}

if (isMainThread && reports! > 2 && requests! > 2 && interval !== undefined) {
  Reflect.set(globalThis, ENTERED, wheels)
  subscribe('timeout-wheel:expire', count as (message: unknown) => void)
  await import('timeout-wheel/register')
  setInterval(send, interval, false).unref()
  listen()
  process.on('exit', () => send(true))
}
