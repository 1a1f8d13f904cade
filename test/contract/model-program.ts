/**
 * A random program uses ids, handles, signals and groups of a manual wheel, and a sorted list. They are compared after each step and in each
 * callback. The file is long, because each operation changes both, and a callback can do all of them.
 */
import type { Timeout, TimerGroup } from 'timeout-wheel/native'
import { type Backend, dispose, manualWheel, thrownBy, type Wheel } from './backends.js'
import { expectSame, type Random, randomFrom } from './random.js'
import { SortedList } from './sorted-list.js'

const STEPS = 250
/** Ticks of programs, in milliseconds. Few of these are binary fractions. */
const TICKS = [1, 1, 1, 8, 3, 7, 0.05, 0.051, 0.1, 0.25, 0.3, 0.999, 1.001, 1.5, 1000.001]
/** Programs that start later have ticks of 1 ms: the virtual time of ticks below 1 ms ends at 2^53 microseconds. */
const LATEST_FINE = 2 ** 36
/** Number of runs after which an interval ends. */
const INTERVAL_RUNS = 4
/** More timers than a new wheel has room for, and a number that is quicker to test. */
const MANY = [37_000, 500, 500, 500]
/** Numbers to which no group gives a meaning, added to a member's number or instead of it. */
const FORGED = [0, -0, -1, 0.5, 1e300, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]
const THROWN = new Error('thrown by a callback')

const KINDS = ['id', 'signal', 'timeout', 'interval', 'steady', 'member', 'member'] as const
type Kind = (typeof KINDS)[number]
const repeats = (kind: Kind): boolean => kind === 'interval' || kind === 'steady'

type Signal = ReturnType<Wheel['signal']>

interface Group {
  readonly timers: TimerGroup<number>
  delay: number
  /** All numbers that members have had. */
  readonly numbers: Set<number>
}

interface Timer {
  readonly kind: Kind
  /** An id, or the number of a member. */
  readonly id: number
  readonly handle: Timeout | undefined
  /** The timer itself, if that is a signal. */
  readonly signal: Signal | undefined
  readonly group: Group | undefined
  delay: number
  runs: number
  isCleared: boolean
  isRef: boolean
  /** Of an interval that does not drift. */
  readonly steady: Steady
}

/** An interval that does not drift: the due time of its first run, and the number of its next. `each` is 0 before the first. */
interface Steady {
  first: number
  each: number
  next: number
  due: number
}

const sorted = (names: Iterable<number>): number[] => [...names].sort((a, b) => a - b)

/** Begins a run. Returns the number of runs that it has missed. */
function beginRun({ steady, delay }: Timer, due: number, now: number): number {
  if (steady.each !== delay) Object.assign(steady, { first: due, each: delay, next: 0 })
  const missed = Math.max(Math.floor((now - steady.first) / delay) - steady.next, 0)
  steady.due = steady.first + (steady.next + missed) * delay
  steady.next += missed + 1
  return missed
}

/** Applies the same random operations to the wheel and to the model. */
class Program {
  readonly #random: Random
  readonly #backend: Backend
  readonly #wheel: Wheel
  readonly #model: SortedList
  readonly #tick: number
  /** Whether the program begins near the end of virtual time. */
  readonly #isLate: boolean
  readonly #maxPending: number
  readonly #unref: boolean
  /** All timers; the index is the name. */
  readonly #timers: Timer[] = []
  readonly #groups: Group[]
  /** The next callback stops the wheel. */
  #stopsSoon = false
  /** The name of the interval whose callback is running. */
  #running: number | undefined
  /** What the callback of a signal has thrown. */
  #failure: unknown

  /** @param start the time of the wheel when the program begins, in milliseconds */
  constructor(backend: Backend, seed: number, start: number) {
    const random = randomFrom(seed)
    this.#random = random
    this.#backend = backend
    this.#tick = start < LATEST_FINE ? TICKS[random.below(TICKS.length)]! : 1
    this.#isLate = start > 2 ** 51
    this.#maxPending = random.below(4) === 0 ? 1 + random.below(20) : Number.POSITIVE_INFINITY
    this.#unref = random.below(4) === 0
    this.#wheel = manualWheel(backend, {
      tick: this.#tick,
      asyncContext: seed % 2 === 0,
      maxPending: this.#maxPending,
      unref: this.#unref,
    })
    this.#wheel.advance(start)
    this.#model = new SortedList(this.#tick)
    this.#model.pass(this.#model.endOf(start), this.#wheel.now)
    this.#groups = Array.from({ length: random.pick([1, 2, 4, 300]) }, () => this.#newGroup())
    for (let n = random.pick([0, 0, 80, 1000]); n > 0; n--) this.#set('member')
    if (random.below(2) === 0) this.#fill()
  }

  #newGroup(): Group {
    const delay = this.#randomTime()
    return { timers: this.#wheel.group((name) => this.#run([name]), delay), delay, numbers: new Set() }
  }

  step(): void {
    const choice = this.#random.below(80)
    if (choice < 58) this.#operate()
    else if (choice < 59) this.#operateOften()
    else if (choice < 60) this.#fill()
    else this.#advance()
    this.#compare()
  }

  /** Runs all timers, or stops the wheel now or in the next callback, and so compares what is left. */
  end(): void {
    const pending = this.#model.inOrder.map(({ name }) => this.#timers[name]!)
    const listed = this.#wheel.pendingTimers()
    expect(listed.map(({ timeout }) => timeout)).toEqual(pending.map(({ handle }) => handle))
    if (this.#isLate || this.#random.below(3) === 0) this.#stop()
    else {
      this.#stopsSoon = this.#random.below(2) === 0
      this.#model.endOf(Number.POSITIVE_INFINITY)
      this.#untilNothingIsThrown(() => this.#wheel.runAll())
    }
    this.#compare()
    this.#compareCounts()
  }

  #stop(): void {
    const { entries, inOrder, now, counts } = this.#model
    const named = this.#timers.map(({ signal }) => signal)
    const left = this.#wheel.stop()
    const nameOf = (last: unknown) => (typeof last === 'number' ? last : named.indexOf(last as Signal))
    expect(left.map(({ args }) => nameOf(args.at(-1)))).toEqual(inOrder.map(({ name }) => name))
    expect(left.map(({ remaining }) => remaining)).toEqual(inOrder.map(({ due }) => due - now))
    counts.cancelled += entries.size
    entries.clear()
    expect(this.#wheel.stop()).toEqual([])
    for (const group of this.#groups) this.#expectStopped(group)
    expect(thrownBy(() => this.#newGroup())).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  }

  /** Returns a time up to the span of any level or beyond: halves of a millisecond, microseconds, or whole ticks with a rounding error. */
  #randomTime(): number {
    const random = this.#random
    const count = random.below(2 ** [3, 5, 9, 17, 25, 34][random.below(6)]!)
    if (this.#tick % 1 === 0) return count / 2
    return [count / 2, (count % 2 ** 25) * this.#tick, count / 1000][random.below(3)]!
  }

  /** Returns a delay that this kind of timer does not coerce. */
  #randomDelay(kind: Kind): number {
    const delay = this.#randomTime()
    if (kind === 'steady') return 1 + Math.floor(delay % 1000)
    return /id|signal/.test(kind) ? delay : 1 + Math.floor(delay % (2 ** 31 - 1))
  }

  #operate(): void {
    const choice = this.#random.below(28)
    const name = this.#random.below(this.#timers.length)
    const timer = this.#timers[name]
    if (timer === undefined || choice < 11) this.#set()
    else if (choice < 19) this.#restart(name, timer)
    else if (choice < 22) this.#cancel(name, timer)
    else if (choice >= 25) this.#useGroup(timer)
    else if (timer.handle !== undefined) {
      timer.isRef = !timer.isRef
      const { handle } = timer
      expectSame(timer.isRef ? handle.ref() : handle.unref(), handle)
    }
  }

  /** After the first operations of a turn, the wheel reads the clock and files timers less often. */
  #operateOften(): void {
    for (let left = 40 + this.#random.below(160); left > 0; left--) this.#operate()
  }

  /** The interval that keeps its place while its callback runs: it is not cleared. */
  get #placeKept(): number | undefined {
    const running = this.#running
    return running === undefined || this.#timers[running]!.isCleared ? undefined : running
  }

  /** The number of timers that the wheel takes. */
  get #room(): number {
    return this.#maxPending - this.#model.entries.size - (this.#placeKept === undefined ? 0 : 1)
  }

  /** Returns whether the wheel has room for one more timer. If it has none, it must refuse to start it. */
  #attempt(start: () => void): boolean {
    const hasRoom = this.#room > 0
    if (hasRoom) start()
    else expectSame((thrownBy(start) as { code?: string }).code, 'ERR_WHEEL_LIMIT')
    return hasRoom
  }

  #set(kind: Kind = this.#random.pick(KINDS)): void {
    const wheel = this.#wheel
    const name = this.#timers.length
    const group = kind === 'member' ? this.#random.pick(this.#groups) : undefined
    // A delay among options is exact.
    const isExact = /timeout|interval/.test(kind) && this.#random.below(4) === 0
    const delay = group?.delay ?? (isExact ? this.#randomTime() : this.#randomDelay(kind))
    const run = (...args: number[]): void => this.#run(args)
    let id = 0
    let handle: Timeout | undefined
    let signal: Signal | undefined
    const how = (isExact ? { delay } : delay) as number
    const isSet = this.#attempt(() => {
      if (kind === 'interval') handle = wheel.setInterval(run, how, name)
      else if (kind === 'steady') handle = wheel.setInterval(run, { delay, drift: false }, name)
      else if (kind === 'timeout') handle = wheel.setTimeout(run, how, name)
      else if (kind === 'signal') signal = wheel.signal(delay)
      else if (group) id = group.timers.add(name)
      else id = wheel.schedule(run, delay, name)
    })
    if (!isSet) return
    if (group) {
      expectSame(id > 0 && Number.isSafeInteger(id) && !group.numbers.has(id), true)
      group.numbers.add(id)
    }
    if (signal) (signal as Signal).onabort = () => this.#keepFailure(() => run(name))
    this.#model.counts.scheduled++
    const steady = { first: 0, each: 0, next: 0, due: 0 }
    this.#timers.push({
      ...{ kind, id, handle, signal, group, delay, steady },
      ...{ runs: 0, isCleared: false, isRef: !this.#unref },
    })
    this.#model.set(name, delay)
  }

  /** Restarts any timer. A handle that has run is set again; a cleared handle stays cleared. */
  #restart(name: number, timer: Timer): void {
    const { kind, id, handle, signal, group } = timer
    const isPending = this.#model.entries.has(name)
    const delay = group?.delay ?? (this.#random.below(2) === 0 ? this.#randomDelay(kind) : undefined)
    if (signal) expectSame(signal.refresh(delay), signal)
    else if (group) expectSame(group.timers.touch(id), isPending)
    else if (handle === undefined) expectSame(this.#wheel.reschedule(id, delay ?? timer.delay), isPending)
    else if (timer.isCleared || isPending || this.#running === name) expectSame(handle.refresh(delay), handle)
    else if (!this.#attempt(() => handle.refresh(delay))) return
    if (!isPending && (handle === undefined || timer.isCleared)) return
    timer.delay = delay ?? timer.delay
    timer.steady.each = 0
    // Only the new delay counts, from the start of the run.
    if (this.#running === name) return void this.#model.note(this.#model.dueAfter(timer.delay))
    if (!isPending) this.#model.counts.scheduled++
    this.#model.set(name, timer.delay)
  }

  #cancel(name: number, timer: Timer): void {
    const { id, handle, signal, group } = timer
    const isPlaceKept = this.#placeKept === name
    const wasPending = this.#model.entries.delete(name)
    if (wasPending || isPlaceKept) this.#model.counts.cancelled++
    timer.isCleared = true
    if (signal) return this.#random.below(2) === 0 ? signal.clear() : signal[dispose]()
    if (group) return expectSame(group.timers.delete(id), wasPending)
    if (handle === undefined) return expectSame(this.#wheel.cancel(id), wasPending)
    const choice = this.#random.below(4)
    if (choice === 0) return expectSame(handle.close(), handle)
    if (choice === 1) return handle[dispose]()
    const clear = this.#random.below(2) === 0 ? 'clearTimeout' : 'clearInterval'
    // The number of a timer that has run is no longer known.
    const names = wasPending || this.#running === name ? [handle, +handle, `${handle}`] : [handle]
    const timers = choice === 2 ? this.#wheel : this.#backend
    timers[clear](names[this.#random.below(names.length)]!)
  }

  #membersOf(group: Group): number[] {
    return sorted(this.#model.entries.keys()).filter((name) => this.#timers[name]!.group === group)
  }

  /** Changes a group or all of its members, or uses numbers that it has not returned. */
  #useGroup({ id }: Timer): void {
    const random = this.#random
    const group = random.pick(this.#groups)
    const choice = random.below(10)
    if (choice < 4) this.#forge(group, id)
    else if (choice < 7) group.delay = group.timers.delay = this.#randomTime()
    else if (choice < 9) for (const name of this.#membersOf(group)) this.#restart(name, this.#timers[name]!)
    else this.#empty(group)
  }

  #forge({ timers, numbers: own }: Group, number: number): void {
    const random = this.#random
    const near = number + (random.below(17) - 8) * random.pick([1, 2 ** 13, 2 ** 26, 2 ** 27, 2 ** 28])
    const numbers = [number, near, number + random.pick(FORGED) + 2 ** 27, random.pick(FORGED)]
    for (const forged of numbers.filter((one) => !own.has(one)))
      expectSame(timers.touch(forged) || timers.has(forged) || timers.delete(forged), false)
  }

  #empty(group: Group): void {
    const members = this.#membersOf(group)
    for (const name of members) this.#model.entries.delete(name)
    this.#model.counts.cancelled += members.length
    if (this.#random.below(2) === 0) return group.timers.clear()
    expect(sorted(group.timers.stop())).toEqual(members)
    this.#expectStopped(group)
    this.#groups[this.#groups.indexOf(group)] = this.#newGroup()
  }

  #expectStopped({ timers, numbers }: Group): void {
    timers.clear()
    timers.delay = 5
    expect([timers.delay, timers.stop(), [...timers], timers.size]).toEqual([5, [], [], 0])
    for (const number of numbers) expectSame(timers.touch(number), false)
    // A full wheel can refuse first.
    if (this.#room <= 0) return
    const message = 'the group or its wheel was stopped: it takes no more members'
    expect(thrownBy(() => timers.add(0))).toMatchObject({ name: 'Error', code: 'ERR_WHEEL_STOPPED', message })
  }

  #clearAll(): void {
    const { entries, counts } = this.#model
    const places = [...entries.keys(), this.#placeKept].filter((name) => name !== undefined)
    for (const name of places) this.#timers[name]!.isCleared = true
    entries.clear()
    counts.cancelled += places.length
    expectSame(this.#wheel.clear(), places.length)
  }

  /** Fills the wheel beyond its first memory, and cancels what it has set. */
  #fill(): void {
    if (this.#random.below(4) > 0) this.#clearAll()
    const delay = this.#randomTime()
    const length = Math.min(this.#room, this.#random.pick(MANY))
    this.#model.note(this.#model.dueAfter(delay))
    const ids = Array.from({ length }, () => this.#wheel.schedule(() => {}, delay))
    this.#model.counts.scheduled += length
    this.#model.counts.cancelled += length
    for (const id of ids) expectSame(this.#wheel.cancel(id), true)
    const isKnown = ids.some((id) => this.#wheel.cancel(id) || this.#wheel.reschedule(id, 1))
    expectSame(isKnown, false)
  }

  #run(args: number[]): void {
    const name = args.at(-1)!
    const { now } = this.#wheel
    const { due } = this.#model.run(name, now)
    const timer = this.#timers[name]!
    expectSame(timer.group?.timers.has(timer.id) ?? false, false)
    if (this.#stopsSoon) return this.#stop()
    if (timer.signal) expectSame([timer.signal.aborted, timer.signal.reason.name].join(), 'true,TimeoutError')
    if (timer.kind === 'steady') expectSame(args[0], beginRun(timer, due, now))
    if (repeats(timer.kind)) this.#running = name
    try {
      this.#compare()
      this.#react(name, timer)
      this.#compare()
    } finally {
      this.#running = undefined
      // Its delay counts from this run, or its due time, and its place in a tick from the end of its callback.
      if (repeats(timer.kind) && !timer.isCleared) {
        const from = timer.kind === 'steady' ? timer.steady.due : now
        this.#model.setDue(name, from + (timer.delay || this.#model.soonest))
      }
    }
  }

  /** The host reports what a listener of a signal throws, and can end the process. */
  #keepFailure(code: () => void): void {
    try {
      code()
    } catch (error) {
      this.#failure ??= error
    }
  }

  #react(name: number, timer: Timer): void {
    const choice = this.#random.below(1000)
    if (repeats(timer.kind) && ++timer.runs === INTERVAL_RUNS) this.#cancel(name, timer)
    if (choice < 400) this.#operate()
    else if (choice < 402) this.#operateOften()
    else if (choice < 404) this.#fill()
    else if (choice < 410) this.#clearAll()
    if (choice % 10 === 0 && !timer.signal) throw THROWN
  }

  #untilNothingIsThrown(advance: (isFirst: boolean) => void): void {
    for (let isFirst = true; ; isFirst = false) {
      try {
        advance(isFirst)
        if (this.#failure) throw this.#failure
        return
      } catch (error) {
        if (error !== THROWN) throw error
        // Time stands at the callback that threw.
        expectSame(this.#wheel.now, this.#model.now)
        this.#compare()
        this.#operate()
      }
    }
  }

  #advance(): void {
    const model = this.#model
    const entry = model.entries.get(this.#random.below(this.#timers.length))
    let ms = this.#randomTime()
    // To the deadline of a timer, or just before it.
    if (entry !== undefined && this.#random.below(2) === 0) {
      const unit = this.#tick % 1 === 0 ? 0.5 : 0.001
      ms = Math.max(entry.due - model.now - this.#random.below(2) * unit, 0)
    }
    const end = model.endOf(ms)
    let isThrown = false
    this.#untilNothingIsThrown((isFirst) => {
      isThrown = !isFirst
      this.#wheel.advance(isFirst ? ms : 0)
    })
    model.pass(isThrown ? model.endOf(0) : end, this.#wheel.now)
  }

  #compare(): void {
    expectSame(this.#wheel.pending, this.#model.entries.size)
    const name = this.#random.below(this.#timers.length)
    const timer = this.#timers[name]
    if (timer?.handle === undefined) return
    const { handle } = timer
    expectSame(handle.pending, this.#model.entries.has(name))
    expectSame(handle.hasRef(), timer.isRef)
    // Rarely, because these make the wheel do what it has put off.
    if (this.#random.below(8) > 0) return
    this.#compareCounts()
    this.#compareTimes(handle, this.#model.entries.get(name)?.due)
  }

  #compareCounts(): void {
    const stats = this.#wheel.stats()
    for (const [name, count] of Object.entries(this.#model.counts)) {
      if (stats[name as 'fired'] !== count) expect(stats).toMatchObject(this.#model.counts)
    }
    const group = this.#random.pick(this.#groups)
    const members = this.#membersOf(group)
    expectSame(`${group.timers.size}: ${sorted(group.timers)}`, `${members.length}: ${members}`)
  }

  #compareTimes({ deadline, remaining }: Timeout, due = Number.NaN): void {
    expectSame(deadline, due)
    expectSame(remaining, due - this.#model.now)
  }
}

/** @param start the time of the wheel when the program begins, in milliseconds */
export function runProgram(backend: Backend, seed: number, start = 0): void {
  const program = new Program(backend, seed, start)
  for (let step = 0; step < STEPS; step++) program.step()
  program.end()
}
