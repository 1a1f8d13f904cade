/** What this process does for a name: its handler, and how many timers wait for it, run and end. */
import { type Position, START } from '../common/store.js'
import type { DurableHandler } from '../common/types.js'
import type { Attempt } from './attempt.js'
import { Alarm, type Clock } from './clock.js'

export interface HandlerOptions {
  concurrency: number
  prefetch: number
  timeout: number
  retries: number
  backoff: number
  deaths: number
}

export type HandlerFunction = DurableHandler<never>

const HOUR = 3_600_000
/** Lateness of this many starts is kept. */
const STARTS = 1_000
/** Bytes that a process holds of a name, but for the rows of one claim that are due. */
const MOST_BYTES = 2 ** 24

const bytesOf = ({ row }: Attempt): number => row.data?.length ?? 0

interface HandlerEvents {
  /** The next timer that waits is due. */
  start(handler: Handler): void
  /** Rows of the name may be claimed. */
  claim(handler: Handler): void
}

export type Stop = 'off' | 'paused here' | 'paused everywhere'

export class Handler {
  readonly name: string
  run: HandlerFunction
  options: HandlerOptions
  /** What waits, in the order of the due times. Of those that are due together, the first that came is the first. */
  readonly waiting: Attempt[] = []
  readonly starting: Alarm
  readonly claiming: Alarm
  /** What runs, also if its timer was lost, and that of which the start is being stored. */
  readonly running = new Set<Attempt>()
  /** How many have ended without being acknowledged. */
  ends = 0
  /** Attempts that have succeeded and failed, and how late the last ones started. */
  ran = 0
  failures = 0
  readonly lateness: number[] = []
  /** All free rows up to here were claimed: see claims.ts. */
  low: Position = START
  /** Whether rows after `low` can be claimed as soon as there is room. */
  isCut = false
  /** Why it starts and holds nothing: `off`, or `pause` in this process, or in all. */
  readonly stops = new Set<Stop>()
  /** Whether a start is planned or under way. */
  isStarting = false
  readonly #clock: Clock
  readonly #events: HandlerEvents
  #bytes = 0
  #starts = 0

  constructor(
    name: string,
    run: HandlerFunction,
    options: HandlerOptions,
    clock: Clock,
    events: HandlerEvents,
  ) {
    this.name = name
    this.run = run
    this.options = options
    this.#clock = clock
    this.#events = events
    this.starting = new Alarm(clock, () => events.start(this))
    this.claiming = new Alarm(clock, () => events.claim(this))
  }

  get isActive(): boolean {
    return this.stops.size === 0
  }

  /** An attempt begins to wait or to end. */
  enter(attempt: Attempt): void {
    if (attempt.state === 'ends') this.ends++
    if (attempt.state !== 'waits') return
    this.waiting.splice(this.#countDue(attempt.row.due), 0, attempt)
    this.#bytes += bytesOf(attempt)
    this.starting.set(attempt.row.due)
  }

  /** It does so no more. */
  leave(attempt: Attempt): void {
    if (attempt.state === 'ends') this.ends--
    if (attempt.state === 'waits') {
      if (attempt === this.waiting[0]) this.waiting.shift()
      else this.waiting.splice(this.waiting.lastIndexOf(attempt, this.#countDue(attempt.row.due) - 1), 1)
      this.#bytes -= bytesOf(attempt)
    }
    this.lookForRoom()
  }

  /** How many rows may be held before they are due, and how many bytes. None until half of what was held has started. */
  get room(): { most: number; bytes: number } {
    const { prefetch } = this.options
    const { length } = this.waiting
    const isHalfFull = length * 2 > prefetch || this.#bytes * 2 > MOST_BYTES || this.ends > prefetch
    return { most: isHalfFull ? 0 : prefetch - length, bytes: MOST_BYTES - this.#bytes }
  }

  /** How many due timers more could start at once. */
  get slots(): number {
    const { concurrency, prefetch } = this.options
    if (this.ends > concurrency + prefetch) return 0
    return concurrency - this.running.size - this.due
  }

  /** How many of those that wait are due. */
  get due(): number {
    return this.#countDue(this.#clock.now())
  }

  /** How many are due at a time. O(log n), and O(1) at a time after all or before all. */
  #countDue(time: number): number {
    const { waiting } = this
    let [from, to] = [0, waiting.length]
    if (to > 0 && waiting[to - 1]!.row.due <= time) from = to
    if (from < to && waiting[0]!.row.due > time) to = 0
    while (from < to) {
      const middle = (from + to) >>> 1
      if (time < waiting[middle]!.row.due) to = middle
      else from = middle + 1
    }
    return from
  }

  get canStart(): boolean {
    if (!this.isActive || this.running.size >= this.options.concurrency) return false
    const [first] = this.waiting
    return first !== undefined && first.row.due <= this.#clock.now()
  }

  /** When the first row after `low` can be due: no row has the id `~`. */
  get nextDue(): number {
    const [due, id] = this.low
    return id === '~' ? due + 1 : due
  }

  /** Claims more if there is room. */
  lookForRoom(): void {
    if (!this.isCut) return
    const isDue = this.nextDue <= this.#clock.now()
    if (this.room.most > 0 || (isDue && this.slots > 0)) this.#events.claim(this)
  }

  noteLateness(ms: number): void {
    this.lateness[this.#starts++ % STARTS] = ms
  }

  /** Milliseconds before a timer is tried again that has failed this many times. */
  waitBefore(failures: number): number {
    const { backoff } = this.options
    const wait = Math.min(backoff * 2 ** (failures - 1), Math.max(HOUR, backoff))
    return wait * (1 - Math.random() / 2)
  }
}
