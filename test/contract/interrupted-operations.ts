/** Interrupts each operation of a table in every place. It has taken effect or not; all other timers run on time, and the wheel stays usable. */
import { describe, expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, dispose, ignore, manualWheel, type Wheel } from './backends.js'
import { type Attempt, everywhere } from './everywhere.js'

const FAR = 2 ** 33
/** One more timer than the memory of a new wheel has room for. */
const BLOCK = 5121
/** So many that a group picks members in scans. */
const MEMBERS = 70
/** The time at which the interval ends. */
const END = 40

/** The times of all runs of each timer. */
type Runs = Record<string, number[]>

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
  const note = (...args: unknown[]): void => {
    ran[ran.length] = [args[args.length - 1] as string, wheel.now - start]
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
  const runs = (): Runs => {
    const runs: Runs = {}
    for (const [name, time] of ran) runs[name] = [...(runs[name] ?? []), time]
    return runs
  }
  const left = undefined as ReturnType<typeof wheel.stop> | undefined
  return { wheel, ran, note, made, signal, nameOf, runs, stops: 0, left, act: ignore as () => void }
}

/** Makes a wheel with timers of all kinds, which are due at 10. */
function openFull(backend: Backend, life: Life) {
  const world = openWheel(backend, life)
  const { wheel, note, signal } = world
  const many = Array.from({ length: life.members ?? 0 }, (_, i) => `${i}`)
  const timeouts = ['timeout', 'timeout2', 'timeout3', 'timeout4', 'timeout5', 'numbered']
  const first = (name: string): void => {
    note(name)
    world.act()
  }
  wheel.schedule(first, 10, 'first')
  const over = wheel.setTimeout(ignore, 10)
  const past = wheel.setTimeout(ignore, 1)
  const numbers = [+over, +past]
  over.close()
  const [group, solo] = [wheel.group(note, 10), wheel.group(note, 10, { unref: true })]
  return Object.assign(world, {
    id: wheel.schedule(note, 10, 'id'),
    id2: wheel.schedule(note, 10, 'id2'),
    near: wheel.schedule(note, 10, 'near'),
    far: wheel.schedule(note, FAR, 'far'),
    timeouts: timeouts.map((name) => wheel.setTimeout(note, 10, name)),
    interval: wheel.setInterval(note, 10, 'interval'),
    steady: wheel.setInterval(note, { delay: 10, drift: false }, 'steady'),
    signals: ['signal', 'signal2', 'signal3'].map((name) => signal(name)),
    group,
    members: ['member', 'member2', ...many].map((name) => group.add(name)),
    solo,
    soloMember: solo.add('solo'),
    over,
    past,
    numbers,
  })
}

type World = ReturnType<typeof openFull>

interface Operation {
  act(world: World): void
  /** Checks the state right after the operation. */
  after?(world: World, isDone: boolean): void
  /** Other times that a timer can have if the operation is interrupted at the time `t`. */
  others?(t: number, name: string): number[][]
  /** The most timers whose owner does not know them after an interruption. */
  lost?: number
}

/** Operations that need no timers. */
const FIRST: Operation[] = [
  {
    act({ wheel, note }) {
      wheel.schedule(note, 10, 'new id')
      wheel.schedule(note, FAR, 'new far')
      wheel.setTimeout(note, 10, 'new timeout')
      wheel.setTimeout(note, 2 ** 31 - 1, 'long')
      wheel.setInterval(note, 10, 'new interval')
      wheel.setInterval(note, { delay: 10, drift: false }, 'new steady')
    },
  },
  { act: ({ wheel, note }) => void wheel.group(note, 10).add('first member') },
  {
    act({ wheel, made }) {
      made[made.length] = [wheel.signal(10), 'new signal']
    },
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
    after({ wheel, id2 }, isDone) {
      if (isDone) expect([wheel.cancel(id2), wheel.reschedule(id2, 1)]).toEqual([false, false])
    },
  },
  {
    act({ wheel, timeouts, interval, steady }) {
      timeouts[0]!.refresh()
      timeouts[1]!.refresh(20)
      timeouts[2]!.close()
      wheel.clearTimeout(timeouts[3]!)
      wheel.clearTimeout(+timeouts[4]!)
      interval.refresh()
      steady.refresh()
    },
  },
  {
    act({ over, past, timeouts }) {
      over.refresh()
      past.refresh(10)
      ignore(+timeouts[5]!)
    },
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
    others: (t, name) => (name === 'signal2' ? [[t + 10]] : []),
  },
  {
    act({ group, members }) {
      group.touch(members[0]!)
      group.delete(members[1]!)
      for (let i = 2; i < members.length; i += 10) group.touch(members[i]!)
      for (let i = 7; i < members.length; i += 20) group.delete(members[i]!)
      group.add('new member')
    },
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
    others: (t, name) => (name === 'new solo' ? [[t + 10]] : []),
    after: ({ solo }) => expect([...solo].length).toBe(solo.size),
  },
]

const NEW_DELAY: Operation[] = [
  {
    act({ group }) {
      group.delay = 9
    },
    // If a reading of the clock is interrupted, the members count from the next one.
    others: (t, name) => (/^(member2?|\d+)$/.test(name) ? [[t + 9], [Math.max(t, 9) + 1]] : []),
    after({ group }) {
      group.delay = 9
    },
  },
  {
    act({ wheel, solo }) {
      ignore(wheel.pendingTimers())
      for (const one of solo) ignore(one)
    },
  },
]

const STOP: Operation = {
  act(world) {
    world.stops++
    world.left = world.wheel.stop()
  },
}

/** Each row is one test, whose operations follow each other. An operation that ends the wheel leaves it so. */
const TESTS: [title: string, operations: Operation[], end: 'stop' | undefined][] = [
  ['schedule(), cancel(), refresh(), groups and signals', [...FIRST, ...CHANGES], undefined],
  ['groups and signals, timers and ids', [...FIRST, ...CHANGES].reverse(), undefined],
  ['a new delay of a group, and iteration', NEW_DELAY, undefined],
  ['clear()', [{ act: ({ wheel }) => void wheel.clear() }], undefined],
  ['stop()', [STOP], 'stop'],
]

/** What follows the operations: the wheel runs all timers, or ends them. */
const ENDINGS = ['run', 'stop', 'clear'] as const

/** The time of the operations. */
const timeOf = ({ isInside }: Life): number => (isInside ? 10 : 5)

/** Makes the operations at their time. Returns for each whether it was made to its end. */
function make(world: World, life: Life, operations: Operation[], attempt: Attempt): boolean[] {
  const done: boolean[] = []
  const act = (): void => {
    for (const { act, after } of operations) {
      const isDone = attempt(() => act(world))
      after?.(world, isDone)
      done.push(isDone)
    }
  }
  if (life.isInside) world.act = act
  world.wheel.advance(timeOf(life))
  if (!life.isInside) act()
  return done
}

/** Runs all timers that are left, and intervals up to `END`. */
function runToEnd({ wheel }: World, life: Life): void {
  wheel.advance(END - timeOf(life))
  for (const { timeout, remaining } of wheel.pendingTimers()) if (remaining <= 10) timeout?.close()
  wheel.runAll()
}

const openWorld = (backend: Backend, life: Life): World =>
  life.isEmpty ? (openWheel(backend, life) as World) : openFull(backend, life)

/** What the timers do if each of the operations is made or not. */
function learn(backend: Backend, life: Life, operations: Operation[]) {
  const runsWith = (operations: Operation[], isMade: boolean): Runs => {
    const world = openWorld(backend, { ...life, prepare: ignore })
    make(world, life, operations, (code) => {
      if (isMade) code()
      return isMade
    })
    runToEnd(world, life)
    world.wheel.stop()
    return world.runs()
  }
  const unchanged = runsWith([], true)
  const states = operations.map((one) => [runsWith([one], false), runsWith([one], true)])
  const names = new Set([unchanged, ...states.flat()].flatMap(Object.keys))
  const othersOf = (name: string, i: number) => operations[i]!.others?.(timeOf(life), name) ?? []
  /** The times that a timer can have. At most one of the operations touches it. */
  const outcomesOf = (name: string, done: boolean[]): number[][] => {
    const touches = (runs: Runs[], i: number): boolean =>
      othersOf(name, i).length > 0 || runs.some((one) => `${one[name]}` !== `${unchanged[name]}`)
    const i = states.findIndex(touches)
    if (i < 0) return [unchanged[name] ?? []]
    const [before, after] = states[i]!.map((runs) => runs[name] ?? [])
    return done[i] ? [after!] : [before!, after!, ...othersOf(name, i)]
  }
  return { names, outcomesOf }
}

/** Interrupts operations, and compares what the timers did afterwards. */
function perform(
  world: World,
  life: Life,
  operations: Operation[],
  { names, outcomesOf }: ReturnType<typeof learn>,
  ending: (typeof ENDINGS)[number],
  attempt: Attempt,
): void {
  const { wheel, ran, note, made, nameOf } = world
  const t = timeOf(life)
  const done = make(world, life, operations, attempt)
  const lost = operations.reduce((sum, { lost = 0 }, i) => (done[i] ? sum : sum + lost), 0)

  const { pending } = wheel
  const before = ran.length
  if (ending === 'stop') {
    const left = world.left ?? wheel.stop()
    for (const { args, remaining } of left) ran.push([nameOf(args.at(-1)), t + remaining])
    const times = left.map(({ remaining }) => remaining)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(wheel.stop()).toEqual([])
  } else if (ending === 'clear') expect(wheel.clear()).toBe(pending)
  if (ending === 'run') {
    runToEnd(world, life)
    wheel.schedule(note, 1, 'again')
    wheel.setTimeout(note, 1, 'again')
    wheel.group(note, 1).add('again')
    wheel.runAll()
    expect(ran.splice(-3).map(([name]) => name)).toEqual(['again', 'again', 'again'])
  } else wheel.advance(END - t)
  // The record of a signal that was cleared or has ended can belong to another timer by now.
  for (const [one] of made) if (ending !== 'run' || one.aborted) one.refresh().clear()
  expect(wheel.pending).toBe(0)
  if (ending === 'clear') expect(ran.length).toBe(before)
  else if (world.stops === 0) {
    const unseen = pending - new Set(ran.slice(before).map(([name]) => name)).size
    expect(unseen).toBeGreaterThanOrEqual(0)
    expect(unseen).toBeLessThanOrEqual(lost)
  }

  const runs = world.runs()
  for (const name of new Set([...names, ...Object.keys(runs)])) {
    const times = runs[name] ?? []
    if (name === 'lost' && times.length <= lost) continue
    // A wheel that has ended knows only the next run of an interval.
    const seen = ending === 'run' ? FAR : ending === 'stop' ? Math.max(times.length, 1) : times.length
    const all = outcomesOf(name, done).map((one) => one.slice(0, seen))
    if (!all.some((one) => `${one}` === `${times}`)) expect({ name, times }).toEqual({ name, times: all })
  }
  // Else its ids come back only when it is collected, and not before this test has ended.
  wheel.stop()
}

/** Describes the operations on wheels with these lives. @param onlyCalls leaves out the ends of the stack */
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
        // stop() returns the timers as they are.
        const effects = learn(backend, life, end ? [] : operations)
        for (let round = 0; round < scaled(1, ENDINGS.length); round++) {
          let trial = round
          trials((attempt) => {
            const ending = end ?? ENDINGS[trial++ % ENDINGS.length]!
            perform(openWorld(backend, life), life, operations, effects, ending, attempt)
          }, oneIn)
        }
      },
    )
  })

  /** Interrupts a long advance(). The timer whose callback could not begin is over. All others run once, on time. */
  function advanceThrough(members: number, delays: number[], oneIn: number): void {
    trials((attempt) => {
      const { wheel, ran, note, runs } = openNew()
      const group = wheel.group(note, 10)
      const [touched] = Array.from({ length: members }, (_, i) => group.add(`${i}`))
      for (const delay of delays) wheel.schedule(note, delay, `at ${delay}`)
      const refreshed = wheel.setTimeout(note, 12, 'at 14')
      wheel.setTimeout(note, 15, 'at 15')
      const interval = wheel.setInterval(note, 10, 'interval')
      const number = +interval
      wheel.setInterval(note, { delay: 10, drift: false }, 'steady')
      wheel.advance(2)
      refreshed.refresh()
      if (touched !== undefined) group.touch(touched)
      attempt(() => wheel.advance(16))
      wheel.advance(1)
      wheel.advance(END - wheel.now)
      const { interval: times, steady } = runs()
      expect(times!.length).toBeGreaterThanOrEqual(3)
      // If the callback could not begin, its run is missed.
      expect([10, 20, 30, 40].filter((time) => steady!.includes(time)).length).toBeGreaterThanOrEqual(3)
      wheel.clearTimeout(number)
      for (const { timeout } of wheel.pendingTimers()) timeout?.close()
      wheel.advance(FAR)
      expect(runs().interval!.length).toBeLessThanOrEqual(4)
      const once = ran.filter(([name]) => name !== 'interval' && name !== 'steady')
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

  it('keeps all timers if the memory grows', () => {
    trials((attempt) => {
      const { wheel, ran, note } = openNew()
      for (let n = 1; n < BLOCK; n++) wheel.schedule(ignore, 1000)
      attempt(() => wheel.schedule(ignore, 1000))
      expect([BLOCK - 1, BLOCK]).toContain(wheel.pending)
      wheel.schedule(note, 1, 'grown')
      wheel.advance(1)
      expect(ran).toEqual([['grown', 1]])
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
