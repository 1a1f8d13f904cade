/** Connections with an idle timer each, which is refreshed by traffic, in random order. */

import { randomNumbers } from '../runner/random.mjs'
import { inTurns, untilEmpty } from './turns.mjs'

const connections = 100_000
const packets = 5_000_000
/** Milliseconds without traffic. */
const delay = 1_500

async function withTimers() {
  const open = new Set()
  const timers = Array.from({ length: connections }, (_, connection) => {
    open.add(connection)
    return setTimeout(() => open.delete(connection), delay)
  })
  await receive((connection) => timers[connection].refresh())
  await untilEmpty(open)
}

async function withGroup() {
  const { timerGroup } = await import('timeout-wheel')
  const open = new Set()
  const idle = timerGroup((/** @type {number} */ connection) => open.delete(connection), delay)
  const members = Array.from({ length: connections }, (_, connection) => {
    open.add(connection)
    return idle.add(connection)
  })
  await receive((connection) => idle.touch(members[connection]))
  await untilEmpty(open)
}

/** @param {(connection: number) => void} onPacket */
function receive(onPacket) {
  const random = randomNumbers(6)
  return inTurns(packets, 10_000, () => onPacket(Math.floor(random() * connections)))
}

export const idleTimers = { package: withTimers, own: withGroup }
