/**
 * An exception interrupts operations in every place. Afterwards each operation has taken effect or not, all other timers run on
 * time, and the wheel can be used on. Other files run the same tests on the sources, where more calls can be interrupted.
 */
import { describe, expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, dispose, manualWheel, onEachBackend } from './backends.js'
import { type Attempt, everywhere } from './everywhere.js'

const FAR = 2 ** 33
/** More timers than fit into one block of the memory. */
const BLOCK = 5121
/** So many that a group picks members in scans. */
const MEMBERS = 70
/** The time at which the interval ends. */
const END = 40

const ignore = (_argument?: unknown): void => {}

/** The times of all runs of a timer. */
type Times = number[]
/**
 * The times of timers that an operation touches: the former ones first, those that the operation gives them last. If it is
 * interrupted, each timer has any of them.
 */
type Outcomes = Record<string, Times[]>

const intervalFrom = (first: number): Times =>
  [0, 10, 20, 30].map((ms) => first + ms).filter((ms) => ms <= END)

/** What a wheel has before the test. */
interface Life {
  start?: number
  members?: number
}

/** Makes a wheel and notes the runs of its timers. The clock of the test starts at 0. */
function openWheel(backend: Backend, { start = 0 }: Life = {}) {
  const wheel = manualWheel(backend)
  if (start > 0) wheel.advance(start)
  const ran: [name: string, time: number][] = []
  const note = (name: string): void => {
    ran[ran.length] = [name, wheel.now - start]
  }
  const signals: [{ onabort: unknown }, string][] = []
  const signal = (name: string, delay = 10) => {
    const made = wheel.signal(delay)
    signals[signals.length] = [made, name]
    made.onabort = () => note(name)
    return made
  }
  const nameOf = (argument: unknown): string =>
    typeof argument === 'string' ? argument : (signals.find(([made]) => made === argument)?.[1] ?? 'lost')
  const timesOf = (name: string): Times => ran.filter((run) => run[0] === name).map((run) => run[1])
  const expected: Outcomes = {}
  const left = undefined as ReturnType<typeof wheel.stop> | undefined
  return { wheel, ran, note, signal, nameOf, timesOf, expected, left, act: ignore as () => void }
}

/** Makes a wheel with timers of all kinds, which are due at 10. */
function openFull(backend: Backend, life: Life) {
  const world = openWheel(backend, life)
  const { wheel, note, signal, expected } = world
  const many = Array.from({ length: life.members ?? 0 }, (_, i) => `${i}`)
  const names = ['first', 'id', 'id2', 'near', 'timeout', 'timeout2', 'timeout3', 'timeout4', 'timeout5']
  for (const name of [...names, 'signal', 'signal2', 'signal3', 'member', 'member2', 'solo', ...many])
    expected[name] = [[10]]
  expected.far = [[FAR]]
  expected.interval = [intervalFrom(10)]
  const first = (name: string): void => {
    note(name)
    world.act()
  }
  wheel.schedule(first, 10, 'first')
  const over = wheel.setTimeout(ignore, 10)
  const overNumber = +over
  over.close()
  const ran = wheel.setTimeout(ignore, 1)
  const ranNumber = +ran
  const group = wheel.group(note, 10)
  const all = Object.assign(world, {
    id: wheel.schedule(note, 10, 'id'),
    id2: wheel.schedule(note, 10, 'id2'),
    near: wheel.schedule(note, 10, 'near'),
    far: wheel.schedule(note, FAR, 'far'),
    timeouts: names.slice(4).map((name) => wheel.setTimeout(note, 10, name)),
    interval: wheel.setInterval(note, 10, 'interval'),
    signals: ['signal', 'signal2', 'signal3'].map((name) => signal(name)),
    group,
    solo: wheel.group(note, 10, { unref: true }),
    members: ['member', 'member2', ...many].map((name) => group.add(name)),
    ended: { over, overNumber, ran, ranNumber },
  })
  return Object.assign(all, { soloMember: all.solo.add('solo') })
}

type Full = ReturnType<typeof openFull>

/** What follows an operation: the wheel runs all timers, or ends them. */
const ENDINGS = ['run', 'stop', 'clear'] as const

interface Operation {
  title: string
  act(world: Full): void
  /** At the time `t`. */
  outcomes?(t: number, expected: Outcomes): Outcomes
  /** Checks the state right after the operation. */
  after?(world: Full, isDone: boolean): void
  /** The most timers whose owner may not know them. */
  lost?: number
  /** The only ending that can follow. */
  ends?: (typeof ENDINGS)[number]
}

const moved = (t: number): Times[] => [[10], [t + 10]]
const added = (t: number): Times[] => [[], [t + 10]]
const ended: Times[] = [[10], []]

/** The operations that need no timers. */
const FIRST: Operation[] = [
  {
    title: 'schedule() and setTimeout()',
    act({ wheel, note }) {
      wheel.schedule(note, 10, 'new')
      wheel.schedule(note, FAR, 'new far')
      wheel.setTimeout(note, 10, 'new timeout')
      wheel.setTimeout(note, 2 ** 31 - 1, 'long')
      wheel.setInterval(note, 10, 'new interval')
    },
    outcomes: (t) => ({
      new: added(t),
      'new far': [[], [t + FAR]],
      'new timeout': added(t),
      long: [[], [t + 2 ** 31 - 1]],
      'new interval': [[], intervalFrom(t + 10)],
    }),
  },
  {
    title: 'group()',
    act: ({ wheel, note }) => void wheel.group(note, 10).add('new'),
    outcomes: (t) => ({ new: added(t) }),
  },
  {
    title: 'signal()',
    act: ({ signal }) => void signal('new'),
    outcomes: (t) => ({ new: added(t) }),
    lost: 1,
  },
  {
    title: 'schedule() with slack',
    act({ wheel, note }) {
      wheel.schedule(note, 9, 'new', { slack: 3 })
      wheel.schedule(note, FAR + 1, 'new far', { slack: 3 })
    },
    outcomes: (t) => ({
      new: [[], [Math.ceil((t + 9) / 4) * 4]],
      'new far': [[], [Math.ceil((t + FAR + 1) / 4) * 4]],
    }),
  },
]

const OPERATIONS: Operation[] = [
  ...FIRST.slice(0, 3),
  {
    title: 'reschedule() and cancel()',
    act({ wheel, id, id2, near, far }) {
      wheel.reschedule(id, 10)
      wheel.cancel(id2)
      wheel.reschedule(near, FAR)
      wheel.reschedule(far, 10.5)
    },
    outcomes: (t) => ({ id: moved(t), id2: ended, near: [[10], [t + FAR]], far: [[FAR], [t + 11]] }),
    after({ wheel, id2 }, isDone) {
      if (isDone) expect([wheel.cancel(id2), wheel.reschedule(id2, 1)]).toEqual([false, false])
    },
  },
  {
    title: 'refresh() and clearTimeout()',
    act({ wheel, timeouts, interval }) {
      timeouts[0]!.refresh()
      timeouts[1]!.refresh(20)
      timeouts[2]!.close()
      wheel.clearTimeout(timeouts[3]!)
      wheel.clearTimeout(+timeouts[4]!)
      interval.refresh()
    },
    outcomes: (t) => ({
      timeout: moved(t),
      timeout2: [[10], [t + 20]],
      timeout3: ended,
      timeout4: ended,
      timeout5: ended,
      interval: [intervalFrom(10), intervalFrom(t + 10)],
    }),
  },
  {
    title: 'refresh() of an ended timer and numbers',
    act({ ended: { over, ran }, timeouts }) {
      over.refresh()
      ran.refresh(10)
      ignore(+timeouts[4]!)
    },
    outcomes: () => ({ timeout5: [[]] }),
    after({ wheel, ended: { overNumber, ranNumber }, timeouts }) {
      for (const number of [overNumber, ranNumber, +timeouts[4]!]) wheel.clearTimeout(number)
    },
  },
  {
    title: 'refresh() and clear() of signals',
    act({ signals }) {
      signals[0]!.refresh(20.5)
      signals[1]!.refresh().clear()
      signals[2]![dispose]()
    },
    outcomes: (t) => ({ signal: [[10], [t + 21]], signal2: [...moved(t), []], signal3: ended }),
    after({ signals }) {
      // The record of a cleared signal can belong to another timer by now.
      for (const signal of signals.slice(1)) if (signal.aborted) signal.refresh().clear()
    },
  },
  {
    title: 'add(), touch() and delete() of a group',
    act({ group, members }) {
      group.touch(members[0]!)
      group.delete(members[1]!)
      for (let i = 2; i < members.length; i += 10) group.touch(members[i]!)
      for (let i = 7; i < members.length; i += 20) group.delete(members[i]!)
      group.add('new')
    },
    outcomes: (t) => ({
      member: moved(t),
      member2: ended,
      ...Object.fromEntries([0, 10, 20, 30, 40, 50, 60].map((i) => [i, moved(t)])),
      ...Object.fromEntries([5, 25, 45, 65].map((i) => [i, ended])),
      new: added(t),
    }),
    after({ group, members }, isDone) {
      expect([...group].length).toBe(group.size)
      if (isDone) expect([members[0]!, members[1]!].map((member) => group.has(member))).toEqual([true, false])
    },
  },
  {
    title: 'a new delay of a group',
    act({ group }) {
      group.delay = 15
    },
    // If a reading of the clock is interrupted, the members count from the next one.
    outcomes: (t, expected) =>
      Object.fromEntries(
        Object.keys(expected)
          .filter((name) => /^(member2?|\d+)$/.test(name))
          .map((name) => [name, [[10], [t + 15], [15]]]),
      ),
  },
  {
    title: 'the end of a group and its refill',
    act({ solo, soloMember }) {
      solo.delete(soloMember)
      solo.add('new')
      solo.clear()
      solo.add('newer')
    },
    outcomes: (t) => ({ solo: ended, new: [...added(t), []], newer: added(t) }),
    after: ({ solo }) => expect([...solo].length).toBe(solo.size),
  },
  {
    title: 'trim(), clear() of a group and iteration',
    act({ wheel, solo }) {
      wheel.trim()
      solo.clear()
      for (const one of wheel) ignore(one)
      for (const one of solo) ignore(one)
    },
    outcomes: () => ({ solo: ended }),
  },
  {
    title: 'stop()',
    act(world) {
      world.left = world.wheel.stop()
    },
    ends: 'stop',
  },
  {
    title: 'clear()',
    act: ({ wheel }) => void wheel.clear(),
    outcomes: (t, { first, ...others }) => ({
      first: t < 10 ? [...first!, []] : first!,
      ...Object.fromEntries(Object.entries(others).map(([name, times]) => [name, [...times, []]])),
    }),
  },
]

/** Performs an operation between callbacks, or in the first of many due callbacks. Then compares what the timers did. */
function perform(
  world: Full,
  { act, outcomes, after, lost = 0, ends }: Operation,
  isInside: boolean,
  ending: (typeof ENDINGS)[number],
  attempt: Attempt,
): void {
  const { wheel, ran, note, nameOf, timesOf, expected } = world
  let isDone = true
  const perform = (): void => {
    isDone = attempt(() => act(world))
    after?.(world, isDone)
  }
  if (isInside) world.act = perform
  const t = isInside ? 10 : 5
  wheel.advance(t)
  if (!isInside) perform()

  const { pending } = wheel
  const before = ran.length
  if (ending === 'stop') {
    const left = world.left ?? wheel.stop()
    for (const { args, remaining } of left) ran.push([nameOf(args[0]), t + remaining])
    const times = left.map(({ remaining }) => remaining)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(wheel.stop()).toEqual([])
  } else if (ending === 'clear') expect(wheel.clear()).toBe(pending)
  wheel.advance(END - t)
  if (ending === 'run') {
    for (const one of wheel) if (typeof one === 'object' && one.remaining <= 10) one.close()
    wheel.runAll()
    wheel.schedule(note, 1, 'again')
    wheel.setTimeout(note, 1, 'again')
    wheel.group(note, 1).add('again')
    wheel.runAll()
    expect(ran.splice(-3).map(([name]) => name)).toEqual(['again', 'again', 'again'])
  }
  expect(wheel.pending).toBe(0)
  const unseen = pending - new Set(ran.slice(before).map(([name]) => name)).size
  if (ending === 'clear') expect(ran.length).toBe(before)
  else if (!ends && (unseen < 0 || unseen > (isDone ? 0 : lost)))
    expect({ unseen, of: pending }).toBe(`at most ${lost}`)

  const touched = outcomes?.(t, expected) ?? {}
  const names = new Set([...Object.keys({ ...expected, ...touched }), ...ran.map(([name]) => name)])
  for (const name of names) {
    const possible = touched[name] ?? expected[name] ?? [[]]
    // An operation on a timer that this world does not have.
    if (!(name in expected) && possible[0]!.length > 0) continue
    const times = timesOf(name)
    // A wheel that has ended knows only the next run of an interval.
    const seen = ending === 'run' ? FAR : ending === 'stop' ? Math.max(times.length, 1) : times.length
    const all = (isDone ? possible.slice(-1) : possible).map((one) => one.slice(0, seen))
    expect({ name, times, all }).toEqual({ name, times: all.find((one) => `${one}` === `${times}`), all })
  }
}

onEachBackend((backend) => {
  describe.each<[string, Operation[], Life]>([
    ['a new wheel', FIRST, {}],
    ['a wheel that nobody has used for weeks', FIRST, { start: 2 ** 31 + 100 }],
    ['a wheel with timers', OPERATIONS, {}],
    ['a wheel with many members of groups, in a callback', OPERATIONS, { members: MEMBERS }],
    ['a wheel whose ticks wrap', OPERATIONS, { start: 2 ** 32 - 9 }],
  ])('%s', (_name, operations, life) => {
    const open = (): Full =>
      operations === OPERATIONS ? openFull(backend, life) : (openWheel(backend, life) as Full)

    it.each(operations)('keeps all timers through $title', (operation) => {
      // Each place has one of the endings, or all. Members end in the same way.
      const oneIn = operation.ends && life.members ? scaled(5, 1) : 1
      for (let round = 0; round < scaled(1, ENDINGS.length); round++) {
        let trials = round
        everywhere((attempt) => {
          const ending = operation.ends ?? ENDINGS[trials++ % ENDINGS.length]!
          perform(open(), operation, life.members !== undefined, ending, attempt)
        }, oneIn)
      }
    })
  })

  /** Interrupts a long advance(). The timer whose callback could not begin is over. All others run once, on time. */
  function advanceThrough(members: number, delays: number[], oneIn: number): void {
    everywhere((attempt) => {
      const { wheel, ran, note, timesOf } = openWheel(backend)
      const group = wheel.group(note, 10)
      const [touched] = Array.from({ length: members }, (_, i) => group.add(`${i}`))
      for (const delay of delays) wheel.schedule(note, delay, `at ${delay}`)
      const interval = wheel.setInterval(note, 10, 'interval')
      const number = +interval
      wheel.advance(2)
      if (touched !== undefined) group.touch(touched)
      attempt(() => wheel.advance(16))
      wheel.advance(1)
      wheel.advance(END - wheel.now)
      expect(timesOf('interval').length).toBeGreaterThanOrEqual(3)
      wheel.clearTimeout(number)
      wheel.advance(FAR)
      expect(timesOf('interval').length).toBeLessThanOrEqual(4)
      const once = ran.filter(([name]) => name !== 'interval')
      expect(new Set(once.map(([name]) => name)).size).toBe(once.length)
      expect(once.length).toBeGreaterThanOrEqual(members + delays.length - 1)
      const due = (name: string): number => Number(name.slice(3)) || (name === '0' ? 12 : 10)
      // After an interruption, some run a tick later.
      expect(once.filter(([name, time]) => time < due(name) || time > due(name) + 1)).toEqual([])
      expect([group.size, wheel.pending]).toEqual([0, 0])
    }, oneIn)
  }

  it('runs each timer once and on time through an interrupted advance()', () => {
    const delays = [1, 4, 7, 10, 13, 16, 19, 22].map((ms, i) => ms + i / 10)
    advanceThrough(3, delays, 1)
  })

  it('runs each of many members once through an interrupted advance()', () => {
    advanceThrough(MEMBERS, [10], scaled(5, 1))
  })

  it('aborts all signals but the interrupted one, each once', () => {
    everywhere((attempt) => {
      const { wheel, ran, signal } = openWheel(backend)
      const signals = [5, 5, 5, 6, 7].map((delay) => signal(`${delay}`, delay))
      attempt(() => wheel.advance(6))
      while (wheel.now < 9) wheel.advance(1)
      // The timer of a signal whose abort could not begin is over.
      const aborted = signals.filter((signal) => signal.aborted)
      expect(aborted.length).toBeGreaterThanOrEqual(signals.length - 1)
      expect(ran.length).toBeLessThanOrEqual(aborted.length)
      expect(aborted.every(({ reason }) => reason.name === 'TimeoutError')).toBe(true)
      for (const one of signals) one.refresh().clear()
      expect(wheel.pending).toBe(0)
    })
  })

  it('stays usable after an interrupted trim()', () => {
    everywhere((attempt) => {
      const { wheel, ran, note } = openWheel(backend)
      for (let n = 0; n < BLOCK; n++) wheel.schedule(ignore, 1)
      wheel.clear()
      attempt(() => {
        wheel.trim()
        wheel.schedule(ignore, 1)
      })
      for (let n = 0; n < 3; n++) wheel.schedule(note, 1, 'later')
      wheel.advance(1)
      expect(ran.filter(([name]) => name === 'later').length).toBe(3)
      expect(wheel.pending).toBe(0)
    })
  })
})
