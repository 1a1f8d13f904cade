/** What this process does for a name: its handler, and how many timers wait for it, run and end. */
import { START } from '../common/rows.js'
import type { Position } from '../common/store.js'
import type { DurableHandler, DurableHandlerOptions } from '../common/types.js'
import type { Attempt } from './attempt.js'
import { Alarm, type Clock } from './clock.js'
import { Queue } from './queue.js'

export type HandlerOptions = { [Name in keyof DurableHandlerOptions]-?: number }
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
  readonly waiting = new Queue()
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
    this.waiting.add(attempt)
    this.#bytes += bytesOf(attempt)
    this.starting.set(attempt.row.due)
  }

  /** It does so no more. */
  leave(attempt: Attempt): void {
    if (attempt.state === 'ends') this.ends--
    if (attempt.state === 'waits') {
      this.waiting.delete(attempt)
      this.#bytes -= bytesOf(attempt)
    }
    this.lookForRoom()
  }

  /** How many more rows may be held before they are due, and how many bytes. None while more than half of the most are held. */
  get room(): { most: number; bytes: number } {
    const { prefetch } = this.options
    const { size } = this.waiting
    const isHalfFull = size * 2 > prefetch || this.#bytes * 2 > MOST_BYTES || this.ends > prefetch
    return { most: isHalfFull ? 0 : prefetch - size, bytes: MOST_BYTES - this.#bytes }
  }

  /** How many due timers more could start at once. */
  get slots(): number {
    const { concurrency, prefetch } = this.options
    if (this.ends > concurrency + prefetch) return 0
    return concurrency - this.running.size - this.due
  }

  /** How many of those that wait are due. */
  get due(): number {
    return this.waiting.countDue(this.#clock.now())
  }

  get canStart(): boolean {
    if (!this.isActive || this.running.size >= this.options.concurrency) return false
    const first = this.waiting.at(0)
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
