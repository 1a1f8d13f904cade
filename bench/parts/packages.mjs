import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { atLeastTimes } from '../runner/bars.mjs'
import { cpuTime, inTurns } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { registered } from './register.mjs'

/** A gain below this is within the spread of two equal programs. */
const NO_LOSS = 0.97

/** `own`: what of this package does the same. `wanted`: how many times less CPU time `register` and that API must take. */
const programs = [
  { id: 'lru-one', label: 'lru-cache, one ttl', own: 'TimeoutMap', wanted: [1.1, 3] },
  { id: 'lru-distinct', label: 'lru-cache, distinct ttls', own: 'TimeoutMap', wanted: [1.8, 4] },
  { id: 'p-timeout', label: 'p-timeout', own: 'withTimeout', wanted: [NO_LOSS, 2] },
  { id: 'debounce', label: 'debounced map', own: 'timerGroup', wanted: [1, 1.6] },
  { id: 'idle', label: 'idle timers', own: 'timerGroup', wanted: [1.8, 3] },
  { id: 'expiry', label: 'expiry of 200,000 timers', own: 'schedule', wanted: [NO_LOSS, 1.2] },
]

const subjectsOf = ({ id, label, own }) =>
  [
    ['native', 'native', 'native'],
    ['addon', 'register', 'addon'],
    ['wasm', 'register, wasm', 'wasm'],
    ['own', own, 'addon'],
  ].map(([way, name, group]) => ({
    ...{ id: `${id}-${way}`, label: `${label}: ${name}`, group, against: `${id}-native` },
    ...{ subject: id, isOwn: way === 'own' },
  }))

const barsOf = ({ id, label, wanted: [byRegister, byOwn] }) => [
  atLeastTimes(byRegister, `${label}: register`, 'cpu', `${id}-addon`, `${id}-native`),
  atLeastTimes(byOwn, `${label}: own API`, 'cpu', `${id}-own`, `${id}-native`),
]

export default {
  name: 'packages',
  title: 'Real packages: CPU time of the whole process',
  note:
    'Programs with packages from npm, and with code of that kind, from the start of the process until no timer is left. ' +
    '"register": the same program with --require timeout-wheel/register. The last rows of a program use the API of this package ' +
    'instead of the package or of setTimeout.',
  metrics: [
    { key: 'cpu', label: 'CPU', unit: 'ms' },
    { key: 'memory', label: 'peak memory', unit: 'MiB' },
  ],
  bars: programs.flatMap(barsOf),
  subjects: programs.flatMap(subjectsOf),
  turns: { short: 1, full: 7 },
  measure: (_call, _settings, { subject, group, isOwn }, { runChild }) =>
    runChild('packages', 'runProgram', subject, { isOwn }, isOwn ? {} : registered(group)),
}

/** Runs a program until none of its timers is pending. CPU time counts from the start of the process. */
export async function runProgram(id, { isOwn }) {
  await works[id](isOwn ? await import('timeout-wheel') : {})
  return { cpu: cpuTime() / 1_000, memory: process.resourceUsage().maxRSS / 1_024 }
}

/** Does something many times, a batch in each turn of the event loop, as a server does. */
const repeat = (count, batch, act) =>
  inTurns(count, batch, (from, to) => {
    for (let i = from; i < to; i++) act()
  })

async function untilEmpty(pending) {
  while (pending.size > 0) await sleep(20)
}

const keys = 200_000
const ttl = 2_000

async function makeCache(TimeoutMap) {
  if (TimeoutMap) return new TimeoutMap({ max: keys, ttl })
  return new (await import('lru-cache')).LRUCache({ max: keys, ttl, ttlAutopurge: true })
}

/** Most of the writes replace an entry that has not expired. */
function write(set) {
  const random = randomNumbers(3)
  return repeat(1_000_000, 5_000, () => set(Math.floor(random() * keys)))
}

/** The programs. Each gets this package if it is to use its API, and nothing otherwise. */
const works = {
  /** All entries have one ttl, and the program ends when they have expired. */
  async 'lru-one'({ TimeoutMap }) {
    const entries = await makeCache(TimeoutMap)
    await write((key) => entries.set(key, key))
    await sleep(ttl + 500)
    // lru-cache may leave a few: if a timer is early, and exactly 0 is left of the ttl, the entry gets no other timer.
    if (entries.size > 5) throw new Error(`${entries.size} entries have not expired`)
  },

  /** Each entry has its own ttl, and the program ends when all are written: its timers do not keep it alive. */
  async 'lru-distinct'({ TimeoutMap }) {
    const entries = await makeCache(TimeoutMap)
    const random = randomNumbers(4)
    const ttlOf = () => 1 + Math.floor(random() * 60_000)
    if (TimeoutMap) await write((key) => entries.set(key, key, ttlOf()))
    else await write((key) => entries.set(key, key, { ttl: ttlOf() }))
  },

  /** 1,000 callers call 100 times with a time limit. Each call is answered in the next turn of the event loop. */
  async 'p-timeout'({ withTimeout }) {
    const limit = 30_000
    let within = (answer) => withTimeout(answer, limit)
    if (!withTimeout) {
      const { default: pTimeout } = await import('p-timeout')
      within = (answer) => pTimeout(answer, { milliseconds: limit })
    }
    const call = async () => {
      for (let i = 0; i < 100; i++) await within(nextTurn())
    }
    await Promise.all(Array.from({ length: 1_000 }, call))
  },

  /** A map of debounced keys: something is done for a key when no event has come for a while. */
  async debounce({ timerGroup }) {
    const delay = 100
    const random = randomNumbers(5)
    const send = (onEvent) => repeat(2_000_000, 5_000, () => onEvent(Math.floor(random() * 10_000)))
    const waiting = new Map()
    if (timerGroup) {
      const group = timerGroup((key) => waiting.delete(key), delay)
      await send((key) => {
        const member = waiting.get(key)
        if (member === undefined) waiting.set(key, group.add(key))
        else group.touch(member)
      })
    } else {
      const onQuiet = (key) => {
        waiting.delete(key)
      }
      await send((key) => {
        clearTimeout(waiting.get(key))
        waiting.set(key, setTimeout(onQuiet, delay, key))
      })
    }
    await untilEmpty(waiting)
  },

  /** Connections with an idle timer each, which is refreshed by traffic, in random order. */
  async idle({ timerGroup }) {
    const connections = 100_000
    const random = randomNumbers(6)
    const open = new Set()
    const onIdle = (connection) => open.delete(connection)
    const delay = 1_500
    const own = timerGroup?.(onIdle, delay)
    const members = Array.from({ length: connections }, (_, connection) => {
      open.add(connection)
      return own ? own.add(connection) : setTimeout(onIdle, delay, connection)
    })
    const receive = own ? (i) => own.touch(members[i]) : (i) => members[i].refresh()
    await repeat(5_000_000, 10_000, () => receive(Math.floor(random() * connections)))
    await untilEmpty(open)
  },

  /** Timers of different delays, all of which run. */
  async expiry({ TimerWheel }) {
    const timers = 200_000
    const random = randomNumbers(7)
    const pending = { size: timers }
    const onTimeout = () => {
      pending.size--
    }
    const setAll = (set) => repeat(timers, 1_000, () => set(onTimeout, 1 + Math.floor(random() * 2_000)))
    if (TimerWheel) {
      const wheel = new TimerWheel()
      await setAll((callback, delay) => wheel.schedule(callback, delay))
    } else await setAll(setTimeout)
    await untilEmpty(pending)
  },
}
