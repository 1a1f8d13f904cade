/**
 * node groups.mjs <native | addon | wasm> <groups> <members of each>: sends what a member of a group costs. A native member is a
 * timer of setTimeout; refresh() touches it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { takeMemory } from '../loops/hold.mjs'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'
import { summarize } from '../runner/statistics.mjs'

const [, , contender, groupCount, size] = process.argv
const groups = Number(groupCount)
const count = groups * Number(size)
const batch = 1_000
const hour = 3_600_000
const churned = 500_000
const warmUps = 2
const rounds = 9
const untilDue = 2_000

let left = 0
/** @type {() => void} */
let finish = () => {}
const expire = () => {
  if (--left === 0) finish()
}

/** @param {number} delay */
const nativeGroup = (delay) => ({
  /** @param {unknown} item */
  add: (item) => setTimeout(expire, delay, item),
  /** @param {any} timeout */
  touch: (timeout) => timeout.refresh(),
  delete: clearTimeout,
})

/** @returns {Promise<(delay: number) => any>} */
async function loadGroups() {
  if (contender === 'native') return nativeGroup
  const { TimerWheel } = await import(contender === 'addon' ? 'timeout-wheel/native' : 'timeout-wheel/wasm')
  const wheel = new TimerWheel()
  return (delay) => wheel.group(expire, delay)
}

const makeGroup = await loadGroups()
const idle = Array.from({ length: groups }, () => makeGroup(hour))

/**
 * Does something for many members, in turns of the event loop.
 *
 * @param {number} total
 * @param {(from: number, to: number) => void} work
 */
async function inTurns(total, work) {
  for (let from = 0; from < total; from += batch) {
    work(from, Math.min(total, from + batch))
    await nextTurn()
  }
}

/**
 * @param {number} total
 * @param {(from: number, to: number) => void} work
 */
async function nanoseconds(total, work) {
  const start = process.cpuUsage()
  await inTurns(total, work)
  const { user, system } = process.cpuUsage(start)
  return ((user + system) * 1_000) / total
}

/**
 * The median of several rounds, after some in which the engine compiles the code.
 *
 * @param {number} total
 * @param {(from: number, to: number) => void} work
 */
async function repeat(total, work) {
  const times = []
  for (let round = -warmUps; round < rounds; round++) {
    const time = await nanoseconds(total, work)
    if (round >= 0) times.push(time)
  }
  return summarize(times).median
}

/** The items of a program are its own. Here all members have the same. */
const item = {}

// With one group, the engine can treat it as a constant, as in a program.
const [only] = idle
const inFlight = new Array(batch)

/** @type {Record<string, (from: number, to: number) => void>} */
const works =
  groups === 1
    ? {
        addAndDelete(from, to) {
          for (let i = from; i < to; i++) only.delete(only.add(item))
        },
        replace(from, to) {
          for (let n = 0; n < to - from; n++) {
            only.delete(inFlight[n])
            inFlight[n] = only.add(item)
          }
        },
        touch(from, to) {
          for (let i = from; i < to; i++) only.touch(shuffled[i])
        },
      }
    : {
        addAndDelete(from, to) {
          for (let i = from, at = from % groups; i < to; i++) {
            const group = idle[at]
            at = at + 1 === groups ? 0 : at + 1
            group.delete(group.add(item))
          }
        },
        // The members in flight are of the first groups, of which each always has one.
        replace(from, to) {
          for (let n = 0; n < to - from; n++) {
            idle[n].delete(inFlight[n])
            inFlight[n] = idle[n].add(item)
          }
        },
        touch(from, to) {
          for (let i = from; i < to; i++) groupOf[i].touch(shuffled[i])
        },
      }

async function churnAll() {
  const atOnce = await repeat(churned, works.addAndDelete)
  for (let n = 0; n < batch; n++) inFlight[n] = idle[n % groups].add(item)
  const later = await repeat(churned, works.replace)
  for (let n = 0; n < batch; n++) idle[n % groups].delete(inFlight[n])
  return { atOnce, later }
}

// Nothing else is pending in the one group. Small groups have their members meanwhile.
const alone = groups === 1 ? await churnAll() : undefined

// The members are in the program's own array, which has its size before the memory is read.
const members = contender === 'native' ? new Array(count).fill(item) : new Float64Array(count).fill(1)
const before = await takeMemory()
await inTurns(count, (from, to) => {
  for (let i = from; i < to; i++) members[i] = idle[i % groups].add(item)
})
const after = await takeMemory()

const { atOnce, later } = alone ?? (await churnAll())

const order = shuffledIndices(count, randomNumbers(7))
const shuffled = contender === 'native' ? new Array(count).fill(item) : new Float64Array(count)
const groupOf = new Array(count)
for (let at = 0; at < count; at++) {
  shuffled[at] = members[order[at]]
  groupOf[at] = idle[order[at] % groups]
}
collectGarbage()
const touch = await repeat(count, works.touch)

for (let at = 0; at < count; at++) groupOf[at].delete(shuffled[at])
collectGarbage()
const due = Array.from({ length: groups }, () => makeGroup(untilDue))
left = count
const finished = new Promise((resolve) => {
  finish = () => resolve(undefined)
})
const cpuStart = process.cpuUsage()
await inTurns(count, (from, to) => {
  for (let i = from; i < to; i++) due[i % groups].add(item)
})
await finished
const { user, system } = process.cpuUsage(cpuStart)

process.send?.(
  {
    touch,
    atOnce,
    later,
    expire: ((user + system) * 1_000) / count,
    resident: (after.resident - before.resident) / count,
    heap: (after.heap - before.heap) / count,
  },
  () => process.exit(),
)
