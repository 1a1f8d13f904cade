/** The loops that run with the timers of one contender. The page loads them once for each (see contenders.js). Times are in milliseconds. */

import { randomNumbers, shuffledIndices } from '/runner/random.mjs'

const { port1, port2 } = new MessageChannel()

/** Calls a function in the next task: a message, which no engine delays. */
const inNextTask = (callback) => {
  port1.onmessage = callback
  port2.postMessage(undefined)
}
const nextTask = () => new Promise(inNextTask)

// A copy of this code for each contender too.
const { search } = new URL(import.meta.url)
const { nothing, turnsWith } = await import(`/runner/turns.mjs${search}`)
const { addedTimeWith } = await import(`/runner/added-time.mjs${search}`)
const { inTurns, timeTurns, setPending, setAndClearAtOnce, setAndClearLater } = turnsWith(nextTask)

export { setAndClearAtOnce, setAndClearLater }

/** Messages of a page to itself are cheaper than those of channels, and steadier: in WebKitGTK the latter leave the process. */
const inNextMessage = (callback) => {
  globalThis.onmessage = callback
  globalThis.postMessage(undefined)
}
const addedTime = addedTimeWith(inNextMessage, () => performance.now())

/** Milliseconds that so many operations add to a task, for each of them: set and clear, or refresh pending timers in their order. */
export async function addToTasks(timers, { work, size, tasks, delay, pending: count }) {
  const pending = new Array(count).fill(undefined)
  const begin = () => {
    for (let i = 0; i < count; i++) pending[i] = timers.set(nothing, delay)
  }
  const end = () => {
    for (const timer of pending) timers.clear(timer)
  }
  let at = 0
  const works = {
    setClear: () => {
      for (let i = 0; i < size; i++) timers.clear(timers.set(nothing, delay))
    },
    refresh: () => {
      for (let i = 0; i < size; i++) {
        timers.refresh(pending, at, nothing, delay)
        at = at + 1 === count ? 0 : at + 1
      }
    },
  }
  return (await addedTime(tasks, { begin, work: works[work], end })) / size
}

let pending
let order

/** Refreshes each of many pending timers once, in random order. The first turn sets them, which is not timed. */
export async function refreshAll(timers, { count, batch, delay }) {
  if (pending === undefined) {
    pending = await setPending(timers, count, () => delay)
    order = shuffledIndices(count, randomNumbers(1))
  }
  return timeTurns(count, batch, (from, to) => {
    for (let i = from; i < to; i++) timers.refresh(pending, order[i], nothing, delay)
  })
}

export const hold = (timers, { count, batch, delay }) =>
  inTurns(count, batch, (from, to) => {
    for (let i = from; i < to; i++) timers.set(nothing, delay)
  })

/** Collects the garbage of the page. WebKit has no command for it, so this only waits there. */
async function collectGarbage() {
  const collect = globalThis.gc ?? globalThis.TestUtils?.gc ?? nothing
  for (let i = 0; i < 3; i++) await collect()
  await new Promise((resolve) => setTimeout(resolve, 500))
}

let fired

/**
 * Sets timers that are due at random times within `span` milliseconds, after `ahead` milliseconds. The earliest is set first: in random
 * order, the cost of a timer in Firefox grows with the number of timers. `whenFired` returns their lateness.
 */
export async function setToFire(timers, { count, batch, ahead, span }) {
  const random = randomNumbers(1)
  const start = performance.now() + ahead
  const times = Float64Array.from({ length: count }, () => start + random() * span).sort()
  const due = new Float64Array(count)
  const late = new Float64Array(count)
  const { promise, resolve } = Promise.withResolvers()
  fired = promise
  let left = count
  const run = (i) => {
    late[i] = performance.now() - due[i]
    if (--left === 0) resolve(late)
  }
  await inTurns(count, batch, (from, to) => {
    for (let i = from; i < to; i++) {
      const now = performance.now()
      const delay = Math.floor(times[i] - now)
      due[i] = now + delay
      timers.setWith(run, delay, i)
    }
  })
  if (left < count) throw new Error('timers were due before all were set')
}

/** @returns the number of timers that ran early by more than the resolution of the clock, and the median lateness */
export async function whenFired(_timers, { resolution }) {
  const late = (await fired).sort()
  let early = 0
  while (late[early] < -resolution) early++
  return { early, middle: late[late.length >> 1] }
}

/** Many timers that become due while the page is busy, and then run at once. Messages show how long the page is blocked. */
export async function burst(timers, { count, batch, delay }) {
  let ran = 0
  const run = () => {
    ran++
  }
  await nextTask()
  const first = performance.now() + delay
  await inTurns(count, batch, (from, to) => {
    for (let i = from; i < to; i++) timers.set(run, delay)
  })
  const all = performance.now() + delay
  while (performance.now() < first - 50) await nextTask()
  while (performance.now() < all + 10);
  if (ran > 0) throw new Error('timers were due before all were set')
  let longest = 0
  let start = 0
  let last = performance.now()
  while (ran < count) {
    await nextTask()
    const now = performance.now()
    if (ran > 0) {
      // The first of these gaps contains the start of the burst.
      if (start === 0) start = last
      longest = Math.max(longest, now - last)
    }
    last = now
  }
  return { longest, total: last - start }
}

export async function lateness(timers, { count, every }) {
  const late = await new Promise((resolve) => {
    const seen = []
    for (let i = 1; i <= count; i++) {
      const due = performance.now() + i * every
      timers.set(() => seen.push(performance.now() - due) === count && resolve(seen), i * every)
    }
  })
  late.sort((a, b) => a - b)
  return { state: document.visibilityState, middle: late[count >> 1], latest: late[count - 1] }
}

function clockResolution() {
  let least = Number.POSITIVE_INFINITY
  let last = performance.now()
  for (const end = last + 100; last < end; ) {
    const now = performance.now()
    if (now > last) least = Math.min(least, now - last)
    last = now
  }
  return least
}

/** Functions that are called without timers, so that the contender makes no wheel for them. */
export const withoutTimers = { collectGarbage, clockResolution }
