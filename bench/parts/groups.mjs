import { formatCount } from '../report/format.mjs'
import { atLeastTimes, atMost, builds } from '../runner/bars.mjs'
import { collectGarbage, countdown, cpuEach, cpuOf, HOUR, inTurns, nothing } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'
import { memoryOfEach } from './hold.mjs'

const bar = (value, work, metric, make = atLeastTimes) => make(value, work, metric, 'addon-members')

/** A part with groups of this size; 0: all members are in one group. */
const partOf = (name, size, bars) => ({
  name,
  file: 'groups',
  title: ({ timers }) =>
    size === 0 ? `A group of ${formatCount(timers)}` : `${formatCount(timers / size)} groups of ${size}`,
  note: ({ timers }) =>
    `${formatCount(timers)} members with one callback and one delay; natively a timer of setTimeout each, which refresh() touches. CPU ` +
    'time of the process; medians of nine rounds. Touch: each once in a round, in random order. Add and delete: in a group that is ' +
    'empty otherwise, or in small groups with their members. Expire: from the first add until all have run, 2 s later. In use and ' +
    'process: 8 of these bytes are the reference to the item. Without a timer: stores in the order of the touches.',
  metrics: [
    { key: 'touch', label: 'touch', unit: 'ns', digits: 1 },
    { key: 'atOnce', label: 'add and delete', unit: 'ns', digits: 1 },
    { key: 'later', label: '1,000 in flight', unit: 'ns', digits: 1 },
    { key: 'expire', label: 'add and expire, CPU', unit: 'ns' },
    { key: 'heap', label: 'in use', unit: 'bytes', digits: 1 },
    { key: 'resident', label: 'process', unit: 'bytes', digits: 1 },
  ],
  bars,
  subjects: [
    { id: 'native-members', label: 'native setTimeout', group: 'native', subject: '' },
    ...builds('members', 'members of groups'),
    { id: 'field', label: 'no timer: a store into a field', group: 'floor', subject: 'field' },
    { id: 'word', label: 'no timer: a store into an Int32Array', group: 'floor', subject: 'word' },
  ],
  memoryBound: true,
  turns: { short: 3, full: 5 },
  measure: (call, { timers: count }, { group }) =>
    group === 'floor'
      ? call('measureStores', { count })
      : call('measureMembers', { count, groups: size === 0 ? 1 : count / size }),
})

export const groups = partOf('groups', 0, [
  bar(12, 'a group of 1,000,000: touch at random', 'touch'),
  bar(15, 'a group: add and delete', 'atOnce'),
  bar(3, 'a group: add and delete, 1,000 in flight', 'later'),
  bar(1, 'a group of 1,000,000: add and expire, CPU', 'expire'),
  // 20 bytes beyond the item, whose reference takes 8.
  bar(28, 'a group of 1,000,000: memory of a member', 'heap', atMost),
  bar(32, 'a group of 1,000,000: memory of a member, of the process', 'resident', atMost),
])
export const smallGroups = partOf('groups-of-10', 10, [
  bar(3, '100,000 groups of 10: touch at random', 'touch'),
  bar(1, '100,000 groups of 10: add and delete', 'atOnce'),
  bar(1, '100,000 groups of 10: add and expire, CPU', 'expire'),
])

const batch = 1_000
const churned = 500_000

const nativeGroup = (onExpire, delay) => ({
  add: (item) => setTimeout(onExpire, delay, item),
  touch: (timeout) => timeout.refresh(),
  delete: clearTimeout,
})

async function loadGroups(subject) {
  if (subject === '') return nativeGroup
  const { TimerWheel } = await import(subject)
  const wheel = new TimerWheel()
  return (onExpire, delay) => wheel.group(onExpire, delay)
}

const repeat = (total, work) => cpuEach(total, () => inTurns(total, batch, work), { settling: 2, rounds: 9 })

/** The items of a program are its own. Here all members have the same. */
const item = {}

/** With one group, the engine can treat it as a constant, as in a program. */
const worksOfOne = (only, inFlight) => ({
  addAndDelete(from, to) {
    for (let i = from; i < to; i++) only.delete(only.add(item))
  },
  replace(from, to) {
    for (let n = 0; n < to - from; n++) {
      only.delete(inFlight[n])
      inFlight[n] = only.add(item)
    }
  },
  toucher: (shuffled) => (from, to) => {
    for (let i = from; i < to; i++) only.touch(shuffled[i])
  },
})

const worksOfMany = (idle, inFlight) => ({
  addAndDelete(from, to) {
    for (let i = from, at = from % idle.length; i < to; i++) {
      const group = idle[at]
      at = at + 1 === idle.length ? 0 : at + 1
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
  toucher: (shuffled, groupOf) => (from, to) => {
    for (let i = from; i < to; i++) groupOf[i].touch(shuffled[i])
  },
})

async function churnAll(works, idle, inFlight) {
  const atOnce = await repeat(churned, works.addAndDelete)
  for (let n = 0; n < batch; n++) inFlight[n] = idle[n % idle.length].add(item)
  const later = await repeat(churned, works.replace)
  for (let n = 0; n < batch; n++) idle[n % idle.length].delete(inFlight[n])
  return { atOnce, later }
}

function measureExpiry(makeGroup, groups, count) {
  collectGarbage()
  const { ran, finished } = countdown(count)
  const due = Array.from({ length: groups }, () => makeGroup(ran, 2_000))
  const addSome = (from, to) => {
    for (let i = from; i < to; i++) due[i % groups].add(item)
  }
  return cpuOf(count, () => Promise.all([inTurns(count, batch, addSome), finished]))
}

/** What a member of a group costs. A native member is a timer of setTimeout; refresh() touches it. */
export async function measureMembers(subject, { count, groups }) {
  const makeGroup = await loadGroups(subject)
  const idle = Array.from({ length: groups }, () => makeGroup(nothing, HOUR))
  const inFlight = new Array(batch)
  const works = groups === 1 ? worksOfOne(idle[0], inFlight) : worksOfMany(idle, inFlight)
  // Nothing else is pending in the one group. Small groups have their members meanwhile.
  const alone = groups === 1 ? await churnAll(works, idle, inFlight) : undefined

  // The members are in the program's own array, which has its size before the memory is read.
  const members = subject === '' ? new Array(count).fill(item) : new Float64Array(count).fill(1)
  const addSome = (from, to) => {
    for (let i = from; i < to; i++) members[i] = idle[i % groups].add(item)
  }
  const { heap, resident } = await memoryOfEach(count, () => inTurns(count, batch, addSome))
  const { atOnce, later } = alone ?? (await churnAll(works, idle, inFlight))

  const order = shuffledIndices(count, randomNumbers(7))
  const shuffled = subject === '' ? new Array(count).fill(item) : new Float64Array(count)
  const groupOf = new Array(count)
  for (let at = 0; at < count; at++) {
    shuffled[at] = members[order[at]]
    groupOf[at] = idle[order[at] % groups]
  }
  collectGarbage()
  const touch = await repeat(count, works.toucher(shuffled, groupOf))
  for (let at = 0; at < count; at++) groupOf[at].delete(shuffled[at])
  return { touch, atOnce, later, expire: await measureExpiry(makeGroup, groups, count), heap, resident }
}

/** The least that a touch can do: a store at random, into a field of a bare object or into an Int32Array. */
export async function measureStores(subject, { count }) {
  const order = shuffledIndices(count, randomNumbers(7))
  let touches = 0
  const words = new Int32Array(count)
  const storeWords = (from, to) => {
    for (let i = from; i < to; i++) words[order[i]] = touches = (touches + 1) | 0
  }
  if (subject === 'word') return { touch: await repeat(count, storeWords) }
  const members = Array.from({ length: count }, () => ({ written: 0 }))
  const shuffled = Array.from(order, (at) => members[at])
  collectGarbage()
  const storeFields = (from, to) => {
    for (let i = from; i < to; i++) shuffled[i].written = touches = (touches + 1) | 0
  }
  return { touch: await repeat(count, storeFields) }
}
