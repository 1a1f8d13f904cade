/** What the processes of one store have logged: each durable timer must start, not before it is due, and not again without a reason. */
import { openSync, readSync } from 'node:fs'

/** Milliseconds in which a process notices that the clock was set. */
const NOTICE = 3_000
/** A timer that has not started so long after its time is lost, in milliseconds. Leases have ended by then. */
const PATIENCE = 60_000
/** The time in which a process notices that its lease has lapsed, in milliseconds. */
const LAPSE = 15_000
/** What has ended is forgotten after this time. */
const MEMORY = 10 * 60_000

export const monotonic = () => Number(process.hrtime.bigint() / 1_000_000n)

export class Starts {
  counts = { set: 0, ran: 0, errors: 0, early: 0, twice: 0, lost: 0 }
  faults = []
  /** When timers were set, and when they started. Monotonic times. */
  #set = new Map()
  #started = new Map()
  /** What has started twice, and may be explained later. */
  #twice = []
  /** When processes were killed, stopped, had their clock set, or lost their lease. */
  #disturbed = []
  #clockWasSet = Number.NEGATIVE_INFINITY
  #logs

  /** @param {string[]} paths of the logs, which exist */
  constructor(paths) {
    this.#logs = paths.map((path) => ({ file: openSync(path, 'r'), place: 0, rest: '' }))
  }

  disturb(isClock) {
    this.#disturbed.push(monotonic())
    if (isClock) this.#clockWasSet = monotonic()
  }

  #report(what, text) {
    this.counts[what]++
    if (this.faults.length < 20) this.faults.push(`${what}: ${text}`)
  }

  /** Reads the new lines of the logs. */
  read() {
    const buffer = Buffer.alloc(1 << 20)
    for (const log of this.#logs) {
      for (let n = 1; n > 0; ) {
        n = readSync(log.file, buffer, 0, buffer.length, log.place)
        log.place += n
        const lines = (log.rest + buffer.toString('latin1', 0, n)).split('\n')
        log.rest = lines.pop()
        for (const line of lines) this.#line(line.split(' '))
      }
    }
    this.#look()
  }

  #line([word, id, due, time, mono]) {
    if (word === 'error') {
      this.counts.errors++
      // The machine may have had no time for the process.
      if (id === 'ERR_DURABLE_LEASE') this.#disturbed.push(Number(due))
    } else if (word === 'set') {
      this.counts.set++
      if (!this.#started.has(id)) this.#set.set(id, { due: Number(due), since: monotonic() })
    } else {
      this.counts.ran++
      const late = Number(time) - Number(due)
      const isSure = Math.abs(Number(mono) - this.#clockWasSet) > NOTICE
      if (late < 0 && isSure) this.#report('early', `${id} by ${-late} ms`)
      const run = `${id} ${due}`
      const before = this.#started.get(id)
      // The logs are read one after the other.
      const [from, to] = [before?.mono, Number(mono)].toSorted((a, b) => a - b)
      if (before?.run === run) this.#twice.push({ id, from, to })
      this.#started.set(id, { run, mono: Number(mono) })
      this.#set.delete(id)
    }
  }

  #look() {
    const now = monotonic()
    // By the time of day, a timer can be due later if the clock was set back.
    for (const [id, { due, since }] of this.#set)
      if (now - since > PATIENCE + 65_000) {
        this.#report('lost', `${id}, which was due ${Date.now() - due} ms ago`)
        this.#set.delete(id)
      }
    // A process whose lease has lapsed says so when it has time again.
    for (const { id, from, to } of this.#twice.splice(0, this.#twice.length)) {
      if (this.#disturbed.some((at) => at > from - NOTICE && at < to + LAPSE)) continue
      if (now - to > 2 * LAPSE) this.#report('twice', `${id}, ${to - from} ms apart`)
      else this.#twice.push({ id, from, to })
    }
    for (const [id, { mono }] of this.#started) if (now - mono > MEMORY) this.#started.delete(id)
    this.#disturbed = this.#disturbed.filter((at) => now - at < MEMORY)
  }

  /** The timers that were set and have not started. */
  get waiting() {
    return this.#set.size
  }
}
