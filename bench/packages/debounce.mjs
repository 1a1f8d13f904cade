/** A map of debounced keys: something is done for a key when no event has come for a while. */

import { randomNumbers } from '../runner/random.mjs'
import { inTurns, untilEmpty } from './turns.mjs'

const keys = 10_000
const events = 2_000_000
/** Milliseconds without an event. */
const delay = 100

/** Each event replaces the timer of its key. */
async function withTimers() {
  /** @type {Map<number, NodeJS.Timeout>} */
  const timers = new Map()
  /** @param {number} key */
  const onQuiet = (key) => {
    timers.delete(key)
  }
  await send((key) => {
    clearTimeout(timers.get(key))
    timers.set(key, setTimeout(onQuiet, delay, key))
  })
  await untilEmpty(timers)
}

/** Each event touches the member of its key. */
async function withGroup() {
  const { timerGroup } = await import('timeout-wheel')
  /** @type {Map<number, number>} */
  const members = new Map()
  const group = timerGroup((/** @type {number} */ key) => members.delete(key), delay)
  await send((key) => {
    const member = members.get(key)
    if (member === undefined) members.set(key, group.add(key))
    else group.touch(member)
  })
  await untilEmpty(members)
}

/** @param {(key: number) => void} onEvent */
function send(onEvent) {
  const random = randomNumbers(5)
  return inTurns(events, 5_000, () => onEvent(Math.floor(random() * keys)))
}

export const debouncedMap = { package: withTimers, own: withGroup }
