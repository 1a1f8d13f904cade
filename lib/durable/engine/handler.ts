/** What this process does for a name: its handler, and how many timers wait for it, run and end. */
import { after, FAILED, isBefore, START } from '../common/rows.js'
import type { Position } from '../common/store.js'
import type { DurableHandler, DurableHandlerOptions } from '../common/types.js'
import type { Attempt } from './attempt.js'
import { type Clock, makeAlarm } from './clock.js'
import { Queue } from './queue.js'

export type HandlerOptions = { [Name in keyof DurableHandlerOptions]-?: number }
export type HandlerFunction = DurableHandler<never>

const HOUR = 3_600_000
/** Bytes that a process holds of a name, but for the rows of one claim that are due. */
const MOST_BYTES = 2 ** 24

const bytesOf = ({ row }: Attempt): number => row.data?.length ?? 0

export type Stop = 'off' | 'paused here' | 'paused everywhere' | 'closed'
export type Handler = ReturnType<typeof makeHandler>

export function makeHandler(
  name: string,
  run: HandlerFunction,
  options: HandlerOptions,
  clock: Clock,
  horizon: number,
  /** Starts timers that are due. Gives back those that must not start here. */
  plan: (handler: Handler) => void,
  /** Claims rows of the name. */
  want: (handler: Handler) => void,
) {
  let bytes = 0
  const claim = (): void => want(handler)

  const handler = {
    ...{ name, run, options },
    waiting: new Queue(),
    starting: makeAlarm(clock, () => plan(handler)),
    claiming: makeAlarm(clock, claim),
    /** What runs, also if its timer was lost, and that of which the start is being stored. */
    running: new Set<Attempt>(),
    /** How many have ended without being acknowledged. */
    ends: 0,
    /** Attempts that have succeeded and failed, and how late the last ones started. */
    ran: 0,
    failures: 0,
    lateness: [] as number[],
    /** All free rows up to here were claimed: see claims.ts. */
    low: START,
    /** `low`, if the last claim has taken all rows that were due, and only those. */
    caughtUp: undefined as Position | undefined,
    /** Whether rows after `low` can be claimed as soon as there is room. */
    isCut: false,
    /** Why it starts and holds nothing. */
    stops: new Set<Stop>(),
    /** Whether a start is planned or under way. */
    isStarting: false,

    get isActive(): boolean {
      return handler.stops.size === 0
    },
    /** How many more rows may be held before they are due, and how many bytes. None while more than half of the most are held. */
    get room(): { most: number; bytes: number } {
      const { prefetch } = handler.options
      const { size } = handler.waiting
      const isHalfFull = size * 2 > prefetch || bytes * 2 > MOST_BYTES || handler.ends > prefetch
      return { most: isHalfFull ? 0 : prefetch - size, bytes: MOST_BYTES - bytes }
    },
    /** How many due timers more could start at once. */
    get slots(): number {
      const { concurrency, prefetch } = handler.options
      return handler.ends > concurrency + prefetch ? 0 : concurrency - handler.running.size - handler.due
    },
    /** How many of those that wait are due. */
    get due(): number {
      return handler.waiting.countDue(clock.now())
    },
    get canStart(): boolean {
      if (!handler.isActive || handler.running.size >= handler.options.concurrency) return false
      const first = handler.waiting.at(0)
      return first !== undefined && first.row.due <= clock.now()
    },
    /** When the first row after `low` can be due: no row has the id `~`. */
    get nextDue(): number {
      const [due, id] = handler.low
      return id === '~' ? due + 1 : due
    },

    /** An attempt begins to wait or to end. */
    enter(attempt: Attempt): void {
      if (attempt.state === 'ends') handler.ends++
      if (attempt.state !== 'waits') return
      handler.waiting.add(attempt)
      bytes += bytesOf(attempt)
      // What a claim brings after it was stopped goes back soon.
      handler.starting.set(handler.isActive ? attempt.row.due : 0)
    },
    /** It does so no more. */
    leave(attempt: Attempt): void {
      if (attempt.state === 'ends') handler.ends--
      if (attempt.state === 'waits') {
        handler.waiting.delete(attempt)
        bytes -= bytesOf(attempt)
      }
      handler.lookForRoom()
    },
    /** Stops it for a reason, or ends that. What waits is given back. */
    stop(why: Stop, isSo: boolean): void {
      if (handler.stops.has(why) === isSo) return
      if (isSo) handler.stops.add(why)
      else handler.stops.delete(why)
      plan(handler)
      handler.expect(0)
    },
    /** A row that is due at this time may be free. */
    expect(due: number): void {
      const before = after(due - 1)
      if (due >= FAILED) return
      if (!isBefore(before, handler.low)) return handler.claiming.set(due - horizon / 2)
      handler.low = before
      claim()
    },
    /** All rows may be free. */
    sweep(): void {
      handler.low = START
      claim()
    },
    /** Claims more if there is room. */
    lookForRoom(): void {
      if (!handler.isCut) return
      const isDue = handler.nextDue <= clock.now()
      if (handler.room.most > 0 || (isDue && handler.slots > 0)) claim()
    },
    /** Milliseconds before a timer is tried again that has failed this many times. */
    waitBefore(failures: number): number {
      const { backoff } = handler.options
      const wait = Math.min(backoff * 2 ** (failures - 1), Math.max(HOUR, backoff))
      return wait * (1 - Math.random() / 2)
    },
  }
  return handler
}
