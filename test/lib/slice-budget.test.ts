/** Compares slices with a loop that runs all due timers in each turn: for loads, bursts and mixtures, in virtual time. */
import { expect, it } from '@jest/globals'
import { SliceBudget } from '../../lib/node/scheduler/slice-budget.js'

const BUDGET = 5
/** Slices can exceed the budget while the first timer in line is later than this. */
const LATE = 50
/** Slices double until they run 4/3 of the timers that a turn adds. */
const MOST = 8 / 3
/** Milliseconds that the event loop itself takes for a turn. */
const LOOP = 0.01

/** The milliseconds that its callback takes, its delay (1 if left out), and the timer that its callback sets. */
type Timer = { cost: number; delay?: number; next?: () => Timer }

interface Program {
  /** Milliseconds. */
  length: number
  /** Milliseconds of other work in each turn. */
  other: (turn: number) => number
  /** Timers that the other work of a turn sets. */
  set?: (turn: number) => Timer[]
  /** Timers that are pending at the start. */
  first?: Timer[]
}

/** `late`: of the latest timer of the second half, in milliseconds. `slice`: the longest, in milliseconds. */
type Course = Record<'pending' | 'late' | 'slice' | 'turns', number>

const many = (count: number, timer: Timer): Timer[] => Array.from({ length: count }, () => timer)

/** @param budget the slices of a wheel; undefined for Node's own timers */
function run(program: Program, budget?: SliceBudget): Course {
  const { length, other, set, first } = program
  const pending: { due: number; timer: Timer }[] = []
  const course: Course = { pending: 0, late: 0, slice: 0, turns: 0 }
  let now = 0
  let head = 0
  let ran = 0
  const count = (): number => pending.length - head
  const isDue = (at: number): boolean => count() > 0 && pending[head]!.due <= at
  function add(timer: Timer): void {
    const due = now + (timer.delay ?? 1)
    let at = pending.length
    while (at > head && pending[at - 1]!.due > due) at--
    pending.splice(at, 0, { due, timer })
  }
  function runNext(): void {
    const { due, timer } = pending[head++]!
    if (now > length / 2) course.late = Math.max(course.late, now - due)
    now += timer.cost
    ran++
    if (timer.next) add(timer.next())
  }
  let passEnd = Number.NaN
  function runSlice(slices: SliceBudget): void {
    const started = now
    ran = 0
    slices.begin(now, count())
    if (Number.isNaN(passEnd)) passEnd = now
    while (isDue(passEnd)) {
      const elapsed = now - started
      const isUsedUp = ran > 0 && elapsed >= slices.budget
      if (isUsedUp && slices.overtimeLeft(elapsed, now - pending[head]!.due) <= 0)
        return slices.end(now, ran, count())
      runNext()
    }
    passEnd = Number.NaN
    if (slices.isBehind && isDue(now)) slices.end(now, ran, count())
    else slices.catchUp()
  }

  for (const timer of first ?? []) add(timer)
  for (; now < length; course.turns++) {
    const started = now
    if (isDue(now)) {
      if (budget) runSlice(budget)
      else while (isDue(now)) runNext()
    }
    course.slice = Math.max(course.slice, now - started)
    const timers = set?.(course.turns) ?? []
    now += other(course.turns) + LOOP
    for (const timer of timers) add(timer)
  }
  course.pending = count()
  return course
}

const wheel = (program: Program): Course => run(program, new SliceBudget(BUDGET))
const native = (program: Program): Course => run(program)

it.each([
  { count: 11, cost: 0.5, other: 5 },
  { count: 12, cost: 1, other: 5 },
  { count: 40, cost: 0.2, other: 0.5 },
  { count: 100, cost: 0.1, other: 1 },
])('keeps within 100 ms of native: $count x $cost ms beside $other ms', ({ count, cost, other }) => {
  const program: Program = { length: 8_000, other: () => other, set: () => many(count, { cost }) }
  const [expected, course] = [native(program), wheel(program)]
  expect(course.late).toBeLessThan(expected.late + 100)
  expect(course.pending).toBeLessThan(expected.pending + (100 * count) / (count * cost + other))
  expect(course.turns).toBeGreaterThanOrEqual(expected.turns)
  expect(course.slice).toBeLessThanOrEqual(Math.max(BUDGET, MOST * count * cost) + cost)
})

it.each([
  { count: 60, cost: 1, other: 5 },
  { count: 500, cost: 1, other: 5 },
  { count: 12, cost: 1, other: 0.05 },
])('works off its backlog at any load: $count x $cost ms beside $other ms', ({ count, cost, other }) => {
  const program: Program = { length: 60_000, other: () => other, set: () => many(count, { cost }) }
  const course = wheel(program)
  // The first timers become late in turns that keep to the budget. Timers that these turns set run first.
  const backlog = (LATE / (BUDGET + other)) * count * cost
  expect(course.late).toBeLessThan(backlog + 2 * (count * cost + other))
  // As many turns as native timers need, and those that the backlog takes at the end.
  expect(course.turns).toBeGreaterThan(0.95 * native(program).turns)
  expect(course.slice).toBeLessThanOrEqual(MOST * count * cost + cost)
})

it.each<[string, (turn: number) => Timer[]]>([
  ['a load that comes and goes', (turn) => many(turn % 200 < 100 ? 12 : 0, { cost: 1 })],
  ['slow callbacks', (turn) => [...many(12, { cost: 1 }), ...many(turn % 50 ? 0 : 1, { cost: 500 })]],
])('keeps within 100 ms of native: %s', (_, set) => {
  const program: Program = { length: 8_000, other: () => 5, set }
  expect(wheel(program).late).toBeLessThan(native(program).late + 100)
})

it('keeps up with a load that one turn of twenty brings', () => {
  const set = (turn: number) => many(turn % 20 === 0 ? 240 : 0, { cost: 1 })
  const program: Program = { length: 20_000, other: () => 5, set }
  const [expected, course] = [native(program), wheel(program)]
  expect(course.late).toBeLessThan(2 * expected.late + LATE)
  expect(course.slice).toBeLessThan(expected.slice / 4)
})

it('keeps up with timers that set timers', () => {
  const chain = (n: number): Timer => ({ cost: 1, ...(n > 1 && { next: () => chain(n - 1) }) })
  const { late, pending } = wheel({ length: 20_000, other: () => 5, set: () => [chain(40)] })
  expect(late).toBeLessThan(250)
  expect(pending).toBeLessThan(250)
})

// Half a second in total, the time of a million empty callbacks.
const burst = many(100_000, { cost: 0.005 })

it.each<[string, number, number, Program['other']]>([
  ['its budget beside no other work', 0, BUDGET + 0.01, () => 0],
  ['its budget beside 0.2 ms of other work in each turn', 0, BUDGET + 0.01, () => 0.2],
  ['its budget beside 5 ms of other work', 0, BUDGET + 2 * LOOP, () => 5],
  ['the length of the other work if that exceeds the budget', 15, 20.1, () => 20],
])('keeps in a burst to %s', (_, least, most, other) => {
  const course = wheel({ length: 1_300, first: burst, other })
  expect(course.pending).toBe(0)
  expect(course.slice).toBeGreaterThan(least)
  expect(course.slice).toBeLessThan(most)
})

it('keeps near the budget beside a server, for slow callbacks, and for intervals that need more time than there is', () => {
  const set = (count: number, delay: number) => () => many(count, { cost: 0.001, delay })
  const beside = wheel({ length: 1_300, other: () => 1, set: set(10, 100), first: burst })
  expect(beside.slice).toBeLessThan(BUDGET + 0.01)
  const first = many(1_000, { cost: 10 })
  const slow = wheel({ length: 9_000, other: () => 1, set: set(2, 60_000), first })
  expect(slow.slice).toBeLessThanOrEqual(50)
  const interval: Timer = { cost: 1, delay: 10, next: () => interval }
  const repeated = wheel({ length: 4_000, other: () => 0.05, first: many(100, interval) })
  expect(repeated.slice).toBeLessThanOrEqual(BUDGET + 1.01)
  expect(repeated.pending).toBe(100)
})

it('does not count the slices of another wheel as other work', () => {
  const [a, b] = [new SliceBudget(BUDGET), new SliceBudget(BUDGET)]
  let now = 0
  for (let pending = 1_000; pending > 0; pending--) {
    for (const budget of [a, b]) {
      budget.begin(now, pending)
      expect(budget.limit).toBe(BUDGET)
      now += BUDGET + 1
      budget.end(now, 1, pending - 1)
    }
  }
})

it('forgets the load once all due timers have run', () => {
  const budget = new SliceBudget(BUDGET)
  const turns = (count: number): void => {
    for (let turn = 0; turn < count; turn++) {
      budget.begin(turn * 100, turn * 100)
      budget.end(turn * 100 + 5, 5, turn * 100)
    }
  }
  turns(20)
  budget.begin(2_000, 2_000)
  expect(budget.limit).toBeGreaterThan(50)
  budget.catchUp()
  budget.begin(2_100, 2_000)
  expect(budget.limit).toBe(BUDGET)
})
