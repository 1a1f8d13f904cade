/**
 * A table of operations, each of which is interrupted in every place. Afterwards it has taken effect or not, all other timers run on
 * time, and the wheel can be used on.
 */
import { describe, expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, dispose, manualWheel, type Wheel } from './backends.js'
import { type Attempt, everywhere } from './everywhere.js'

const FAR = 2 ** 33
/** One more timer than the memory of a new wheel has room for. */
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
export interface Life {
  title: string
  /** The time. */
  start?: number
  /** The number of members of groups. */
  members?: number
  /** Whether the wheel has no timers. */
  isEmpty?: boolean
  /** Whether operations are in the first of many due callbacks. */
  isInside?: boolean
  prepare?(wheel: Wheel): void
}

/** Makes a wheel and notes the runs of its timers. The clock of the test starts at 0. */
function openWheel(backend: Backend, { start = 0, prepare }: Partial<Life> = {}) {
  const wheel = manualWheel(backend)
  if (start > 0) wheel.advance(start)
  prepare?.(wheel)
  const ran: [name: string, time: number][] = []
  const note = (name: string): void => {
    ran[ran.length] = [name, wheel.now - start]
  }
  const made: [ReturnType<Wheel['signal']>, string][] = []
  const signal = (name: string, delay = 10) => {
    const signal = wheel.signal(delay)
    made[made.length] = [signal, name]
    signal.onabort = () => note(name)
    return signal
  }
  const nameOf = (argument: unknown): string =>
    typeof argument === 'string' ? argument : (made.find(([signal]) => signal === argument)?.[1] ?? 'lost')
  const timesOf = (name: string): Times => ran.filter((run) => run[0] === name).map((run) => run[1])
  const expected: Outcomes = {}
  const left = undefined as ReturnType<typeof wheel.stop> | undefined
  return {
    wheel,
    start,
    ran,
    note,
    made,
    signal,
    nameOf,
    timesOf,
    expected,
    stops: 0,
    left,
    act: ignore as () => void,
  }
}

/** Makes a wheel with timers of all kinds, which are due at 10. */
function openFull(backend: Backend, life: Life) {
  const world = openWheel(backend, life)
  const { wheel, note, signal, expected } = world
  const many = Array.from({ length: life.members ?? 0 }, (_, i) => `${i}`)
  const timeouts = ['timeout', 'timeout2', 'timeout3', 'timeout4', 'timeout5', 'numbered']
  const signals = ['signal', 'signal2', 'signal3']
  const others = ['first', 'id', 'id2', 'near', 'member', 'member2', 'solo']
  for (const name of [...others, ...timeouts, ...signals, ...many]) expected[name] = [[10]]
  expected.far = [[FAR]]
  expected.interval = [intervalFrom(10)]
  const first = (name: string): void => {
    note(name)
    world.act()
  }
  wheel.schedule(first, 10, 'first')
  const over = wheel.setTimeout(ignore, 10)
  const past = wheel.setTimeout(ignore, 1)
  const numbers = [+over, +past]
  over.close()
  const group = wheel.group(note, 10)
  const all = Object.assign(world, {
    id: wheel.schedule(note, 10, 'id'),
    id2: wheel.schedule(note, 10, 'id2'),
    near: wheel.schedule(note, 10, 'near'),
    far: wheel.schedule(note, FAR, 'far'),
    timeouts: timeouts.map((name) => wheel.setTimeout(note, 10, name)),
    interval: wheel.setInterval(note, 10, 'interval'),
    signals: signals.map((name) => signal(name)),
    group,
    solo: wheel.group(note, 10, { unref: true }),
    members: ['member', 'member2', ...many].map((name) => group.add(name)),
    over,
    past,
    numbers,
  })
  return Object.assign(all, { soloMember: all.solo.add('solo') })
}

type World = ReturnType<typeof openFull>

interface Operation {
  act(world: World): void
  /** At the time `t`. */
  outcomes?(t: number, world: World): Outcomes
  /** Checks the state right after the operation. */
  after?(world: World, isDone: boolean): void
  /** Whether it can have each of its outcomes also if it was not interrupted itself. */
  hasAnyOutcome?: boolean
  /** The most timers whose owner does not know them after an interruption. */
  lost?: number
}

const moved = (t: number): Times[] => [[10], [t + 10]]
const added = (t: number): Times[] => [[], [t + 10]]
const ended: Times[] = [[10], []]
const each = (names: string[], times: Times[]): Outcomes =>
  Object.fromEntries(names.map((name) => [name, times]))

/** Operations that need no timers. */
const FIRST: Operation[] = [
  {
    act({ wheel, note }) {
      wheel.schedule(note, 10, 'new id')
      wheel.schedule(note, FAR, 'new far')
      wheel.setTimeout(note, 10, 'new timeout')
      wheel.setTimeout(note, 2 ** 31 - 1, 'long')
      wheel.setInterval(note, 10, 'new interval')
    },
    outcomes: (t) => ({
      ...each(['new id', 'new timeout'], added(t)),
      'new far': [[], [t + FAR]],
      long: [[], [t + 2 ** 31 - 1]],
      'new interval': [[], intervalFrom(t + 10)],
    }),
  },
  {
    act({ wheel, note }) {
      wheel.schedule(note, 9, 'slack', { slack: 3 })
      wheel.schedule(note, FAR + 1, 'far slack', { slack: 3 })
    },
    outcomes(t, { start }) {
      const putOff = (ms: number): Times => [Math.ceil((start + t + ms) / 4) * 4 - start]
      return { slack: [[], putOff(9)], 'far slack': [[], putOff(FAR + 1)] }
    },
  },
  {
    act: ({ wheel, note }) => void wheel.group(note, 10).add('first member'),
    outcomes: (t) => ({ 'first member': added(t) }),
  },
  {
    act({ wheel, made }) {
      made[made.length] = [wheel.signal(10), 'new signal']
    },
    outcomes: (t) => ({ 'new signal': added(t), lost: [...added(t), []] }),
    after({ made, note }) {
      for (const [signal, name] of made) signal.onabort ??= () => note(name)
    },
    lost: 1,
  },
]

/** Operations on other timers each, so they can follow each other. */
const CHANGES: Operation[] = [
  {
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
      ...each(['timeout3', 'timeout4', 'timeout5'], ended),
      interval: [intervalFrom(10), intervalFrom(t + 10)],
    }),
  },
  {
    act({ over, past, timeouts }) {
      over.refresh()
      past.refresh(10)
      ignore(+timeouts[5]!)
    },
    outcomes: () => ({ numbered: [[]] }),
    after({ wheel, numbers, timeouts }) {
      for (const number of [...numbers, +timeouts[5]!]) wheel.clearTimeout(number)
    },
  },
  {
    act({ signals }) {
      signals[0]!.refresh(20.5)
      signals[1]!.refresh().clear()
      signals[2]![dispose]()
    },
    outcomes: (t) => ({ signal: [[10], [t + 21]], signal2: [...moved(t), []], signal3: ended }),
  },
  {
    act({ group, members }) {
      group.touch(members[0]!)
      group.delete(members[1]!)
      for (let i = 2; i < members.length; i += 10) group.touch(members[i]!)
      for (let i = 7; i < members.length; i += 20) group.delete(members[i]!)
      group.add('new member')
    },
    outcomes: (t) => ({
      ...each(['member', '0', '10', '20', '30', '40', '50', '60'], moved(t)),
      ...each(['member2', '5', '25', '45', '65'], ended),
      'new member': added(t),
    }),
    after({ group, members }, isDone) {
      expect([...group].length).toBe(group.size)
      if (isDone) expect([group.has(members[0]!), group.has(members[1]!)]).toEqual([true, false])
    },
  },
  {
    act({ solo, soloMember }) {
      solo.delete(soloMember)
      solo.add('new solo')
      solo.clear()
      solo.add('newer solo')
    },
    outcomes: (t) => ({ solo: ended, 'new solo': [...added(t), []], 'newer solo': added(t) }),
    after: ({ solo }) => expect([...solo].length).toBe(solo.size),
  },
]

/** Each row is one test, whose operations follow each other. An operation that ends the wheel leaves it so. */
const TESTS: [title: string, operations: Operation[], end: 'stop' | undefined][] = [
  ['schedule(), cancel(), refresh(), groups and signals', [...FIRST, ...CHANGES], undefined],
  ['groups and signals, timers and ids', [...FIRST, ...CHANGES].reverse(), undefined],
  [
    'a new delay of a group, trim() and iteration',
    [
      {
        act({ group }) {
          group.delay = 9
        },
        // If a reading of the clock is interrupted, the members count from the next one. Those that are due can move to the next tick.
        outcomes: (t, { expected }) =>
          each(
            Object.keys(expected).filter((name) => /^(member2?|\d+)$/.test(name)),
            [[t + 9], [Math.max(t, 9)], [Math.max(t, 9) + 1]],
          ),
        hasAnyOutcome: true,
        after({ group }) {
          group.delay = 9
        },
      },
      {
        act({ wheel, solo }) {
          wheel.trim()
          for (const one of wheel) ignore(one)
          for (const one of solo) ignore(one)
        },
      },
    ],
    undefined,
  ],
  [
    'clear()',
    [
      {
        act: ({ wheel }) => void wheel.clear(),
        outcomes: (t, { expected: { first, ...others } }) => ({
          first: t < 10 ? [...first!, []] : first!,
          ...Object.fromEntries(Object.entries(others).map(([name, times]) => [name, [...times, []]])),
        }),
      },
    ],
    undefined,
  ],
  [
    'stop()',
    [
      {
        act(world) {
          world.stops++
          world.left = world.wheel.stop()
        },
      },
    ],
    'stop',
  ],
]

/** What follows the operations: the wheel runs all timers, or ends them. */
const ENDINGS = ['run', 'stop', 'clear'] as const

/** Interrupts operations, and compares what the timers did afterwards. */
function perform(
  world: World,
  operations: Operation[],
  isInside: boolean,
  ending: (typeof ENDINGS)[number],
  attempt: Attempt,
): void {
  const { wheel, ran, note, made, nameOf, expected } = world
  const t = isInside ? 10 : 5
  const touched: Outcomes = {}
  let lost = 0
  const perform = (): void => {
    for (const { act, outcomes, after, hasAnyOutcome, lost: most = 0 } of operations) {
      const isDone = attempt(() => act(world))
      after?.(world, isDone)
      if (!isDone) lost += most
      for (const [name, times] of Object.entries(outcomes?.(t, world) ?? {})) {
        touched[name] = isDone && !hasAnyOutcome ? times.slice(-1) : times
        // This world does not have the timer.
        if (!(name in expected) && times[0]!.length > 0) delete touched[name]
      }
    }
  }
  if (isInside) world.act = perform
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
  // The record of a signal that was cleared or has ended can belong to another timer by now.
  for (const [one] of made) if (ending !== 'run' || one.aborted) one.refresh().clear()
  expect(wheel.pending).toBe(0)
  if (ending === 'clear') expect(ran.length).toBe(before)
  else if (world.stops === 0) {
    const unseen = pending - new Set(ran.slice(before).map(([name]) => name)).size
    expect(unseen).toBeGreaterThanOrEqual(0)
    expect(unseen).toBeLessThanOrEqual(lost)
  }

  const runs: Record<string, Times> = {}
  for (const [name, time] of ran) runs[name] = [...(runs[name] ?? []), time]
  for (const name of Object.keys({ ...expected, ...touched, ...runs })) {
    const times = runs[name] ?? []
    // A wheel that has ended knows only the next run of an interval.
    const seen = ending === 'run' ? FAR : ending === 'stop' ? Math.max(times.length, 1) : times.length
    const all = (touched[name] ?? expected[name] ?? [[]]).map((one) => one.slice(0, seen))
    if (!all.some((one) => `${one}` === `${times}`)) expect({ name, times }).toEqual({ name, times: all })
  }
  // Else its ids come back only when it is collected, and not before this test has ended.
  wheel.stop()
}

/**
 * Describes the operations on wheels with these lives.
 *
 * @param onlyCalls leaves out the ends of the stack
 */
export function specifyInterruptions(backend: Backend, lives: Life[], onlyCalls = false): void {
  const trials = (trial: (attempt: Attempt) => void, oneIn = 1): void => everywhere(trial, oneIn, onlyCalls)
  const openNew = () => openWheel(backend, { ...lives[0]!, start: 0 })

  describe.each(lives)('$title', (life) => {
    const tests = TESTS.slice(0, life.isEmpty ? 2 : undefined)
    it.each(tests)(
      'keeps all timers through interrupted calls: %s',
      (_title, all, end: 'stop' | undefined) => {
        const operations = life.isEmpty ? all.filter((operation) => FIRST.includes(operation)) : all
        // Each place has one of the endings, or all. Members end in the same way.
        const oneIn = end && life.members ? scaled(5, 1) : 1
        for (let round = 0; round < scaled(1, ENDINGS.length); round++) {
          let trial = round
          trials((attempt) => {
            const ending = end ?? ENDINGS[trial++ % ENDINGS.length]!
            const world = life.isEmpty ? (openWheel(backend, life) as World) : openFull(backend, life)
            perform(world, operations, life.isInside === true, ending, attempt)
          }, oneIn)
        }
      },
    )
  })

  /** Interrupts a long advance(). The timer whose callback could not begin is over. All others run once, on time. */
  function advanceThrough(members: number, delays: number[], oneIn: number): void {
    trials((attempt) => {
      const { wheel, ran, note, timesOf } = openNew()
      const group = wheel.group(note, 10)
      const [touched] = Array.from({ length: members }, (_, i) => group.add(`${i}`))
      for (const delay of delays) wheel.schedule(note, delay, `at ${delay}`)
      const refreshed = wheel.setTimeout(note, 12, 'at 14')
      wheel.setTimeout(note, 15, 'at 15')
      const interval = wheel.setInterval(note, 10, 'interval')
      const number = +interval
      wheel.advance(2)
      refreshed.refresh()
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
      expect(once.length).toBeGreaterThanOrEqual(members + delays.length + 1)
      const due = (name: string): number => Number(name.slice(3)) || (name === '0' ? 12 : 10)
      // After an interruption, some run a tick later.
      expect(once.filter(([name, time]) => time < due(name) || time > due(name) + 1)).toEqual([])
      expect([group.size, wheel.pending]).toEqual([0, 0])
      wheel.stop()
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
    trials((attempt) => {
      const { wheel, ran, signal } = openNew()
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
      wheel.stop()
    })
  })

  it('keeps all timers if the memory grows or is given back', () => {
    trials((attempt) => {
      const { wheel, ran, note } = openNew()
      for (let n = 1; n < BLOCK; n++) wheel.schedule(ignore, 1000)
      attempt(() => wheel.schedule(ignore, 1000))
      expect([BLOCK - 1, BLOCK]).toContain(wheel.pending)
      wheel.schedule(note, 1, 'grown')
      wheel.advance(1)
      expect(wheel.pending).toBe(wheel.clear())
      attempt(() => {
        wheel.trim()
        wheel.schedule(ignore, 1000)
      })
      const { pending } = wheel
      wheel.schedule(note, 1, 'trimmed')
      wheel.advance(1)
      const times = [
        ['grown', 1],
        ['trimmed', 2],
      ]
      expect([ran, wheel.pending]).toEqual([times, pending])
      expect(wheel.stop().every(({ remaining }) => remaining === 999)).toBe(true)
    })
  })

  it('loses no number of ids in an interrupted stop() or schedule()', () => {
    /** The number of the block in the first id of a new wheel. */
    const nextNumber = (): number => {
      const wheel = manualWheel(backend)
      const id = wheel.schedule(ignore, 1)
      wheel.stop()
      return Math.floor(id / 2 ** 13) % 2 ** 14
    }
    const first = nextNumber()
    trials((attempt) => {
      const { wheel } = openNew()
      attempt(() => wheel.schedule(ignore, 10))
      wheel.schedule(ignore, 10)
      attempt(() => wheel.stop())
      wheel.stop()
      expect(nextNumber()).toBe(first)
    })
  })
}
