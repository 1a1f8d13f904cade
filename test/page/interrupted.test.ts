/**
 * Exceptions interrupt operations: near the end of the stack, where any call may throw, and at each call that leaves the
 * scheduler. An operation that throws may or may not have taken effect. All other operations keep their promises.
 */

import { describe, expect, it } from '@jest/globals'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import type { WasmExports as Core } from '../../lib/memory/wasm-exports.js'
import { ONCE } from '../../lib/page/handle-state.js'
import { idOf, unitOfId } from '../../lib/page/id-space.js'
import { unexpired } from '../../lib/page/pending.js'
import { openScheduler } from '../../lib/page/scheduler.js'
import type { OpenCore, Scheduler } from '../../lib/page/scheduler-types.js'
import { Timeout } from '../../lib/page/timeout.js'
import { randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'

const RECORDS_PER_BLOCK = 5120

/** The error of calls that the test makes fail. */
class Interruption extends Error {}

/** Runs code with `depth` calls below it on the stack. */
function atDepth(depth: number, code: () => void): void {
  if (depth > 0) atDepth(depth - 1, code)
  else code()
}

/** Opens cores whose calls can be made to fail. */
function coresThat(interrupt: () => void): OpenCore {
  return () => {
    const core = instantiateWasm() as unknown as Core
    const guarded =
      <A extends unknown[], R>(call: (...args: A) => R) =>
      (...args: A): R => {
        interrupt()
        return call(...args)
      }
    const memory = {
      get buffer() {
        interrupt()
        return core.memory.buffer
      },
      grow: (pages: number) => {
        // The growth has already happened, and the views are detached.
        const before = core.memory.grow(pages)
        interrupt()
        return before
      },
    } as WebAssembly.Memory
    return {
      memory,
      open: core.open,
      extend: guarded(core.extend),
      begin: guarded(core.begin),
      end: guarded(core.end),
      take: guarded(core.take),
      advance: guarded(core.advance),
    }
  }
}

interface Entry {
  readonly name: number
  /** The earliest time at which it may run. */
  due: number
  /** The latest such time; undefined if it need not run. */
  latest: number | undefined
  runs: number
  cancel(): void
  move(delay: number): void
}

/** Returns whether `code` ran to its end. */
type Attempt = (code: () => void) => boolean

/** Runs a random program on a wheel and on a model that knows which operations threw. */
class Program {
  thrown = 0
  readonly #faults: string[] = []
  readonly #entries: Entry[] = []
  readonly #below: (limit: number) => number
  readonly #attempt: Attempt
  readonly #scheduler: Scheduler
  /** Only an interruption can keep a due callback from running. */
  readonly #isStrict: boolean
  #time = 0

  constructor(interrupt: () => void, seed: number, attempt: Attempt, isStrict: boolean) {
    const clock = (): number => {
      interrupt()
      return this.#time
    }
    this.#scheduler = openScheduler(coresThat(interrupt), clock, interrupt)
    this.#below = randomFrom(seed).below
    this.#isStrict = isStrict
    this.#attempt = (code) => {
      const isDone = attempt(code)
      if (!isDone) this.thrown++
      return isDone
    }
  }

  #delay(): number {
    // Some delays lie far beyond the span of the wheel.
    return this.#below(50) === 0 ? 2 ** 29 + this.#below(2 ** 29) : 1 + this.#below(2000)
  }

  #add(): void {
    const delay = this.#delay()
    const name = this.#entries.length
    const due = this.#time + delay
    const entry: Entry = { name, due, latest: undefined, runs: 0, cancel() {}, move() {} }
    this.#entries.push(entry)
    const scheduler = this.#scheduler
    const callback = (): void => {
      entry.runs++
      if (this.#time < entry.due) this.#faults.push(`${name} ran at ${this.#time}, due at ${entry.due}`)
    }
    const isHandle = this.#below(2) === 0
    const isDone = this.#attempt(() => {
      if (isHandle) {
        const handle = new Timeout(scheduler, callback, delay, ONCE)
        entry.cancel = () => handle.close()
        entry.move = (ms) => handle.refresh(ms)
      } else {
        const id = idOf(scheduler, scheduler._schedule(0, callback, delay))
        entry.cancel = () => {
          const unit = unitOfId(scheduler, id)
          if (unit) scheduler._cancel(unit)
        }
        entry.move = (ms) => {
          const unit = unitOfId(scheduler, id)
          if (unit) scheduler._schedule(unit, undefined, ms)
        }
      }
    })
    if (isDone) entry.latest = due
  }

  #change(): void {
    const entry = this.#entries[this.#below(this.#entries.length)]
    if (!entry || entry.runs > 0) return
    if (this.#below(2) === 0) {
      if (this.#attempt(() => entry.cancel())) entry.due = Number.POSITIVE_INFINITY
      entry.latest = undefined
      return
    }
    const delay = this.#delay()
    const due = this.#time + delay
    if (!this.#attempt(() => entry.move(delay))) {
      entry.due = Math.min(entry.due, due)
      if (entry.latest !== undefined) entry.latest = Math.max(entry.latest, due)
    } else if (entry.due < Number.POSITIVE_INFINITY) {
      entry.due = due
      if (entry.latest !== undefined) entry.latest = due
    }
  }

  /** Lets time pass, and stops at every time at which a timer may be due. */
  #advance(ms: number): void {
    // End the turn before time passes.
    while (!this.#attempt(() => this.#scheduler._nextWake()));
    const end = this.#time + ms
    const live = this.#entries.filter(({ runs, due }) => runs === 0 && due < Number.POSITIVE_INFINITY)
    const stops = live
      .flatMap(({ due, latest = due }) => [due - 1, due, latest - 1, latest])
      .filter((at) => at > this.#time && at < end)
      .sort((a, b) => a - b)
    for (const at of new Set([...stops, end])) {
      this.#time = at
      this.#runDue()
      for (const { name, latest, runs } of live) {
        if (latest !== undefined && latest <= at && runs === 0) this.#faults.push(`${name} missed ${latest}`)
      }
      if (this.#faults.length > 0) return
    }
  }

  #runDue(): void {
    const scheduler = this.#scheduler
    // As in the driver: after a callback throws, the rest still has to run.
    let isBehind = false
    for (let attempts = 0; attempts < 1000; attempts++) {
      const isDone = this.#attempt(() => {
        while (isBehind || scheduler._nextWake() <= this.#time) {
          isBehind = true
          while (scheduler._step());
          isBehind = false
        }
      })
      if (isDone) return
      if (this.#isStrict) continue
      // There may have been no stack left to begin the callback.
      for (const entry of this.#entries) {
        if (entry.runs === 0 && entry.due <= this.#time) entry.latest = undefined
      }
    }
    this.#faults.push(`nothing can be run at ${this.#time}`)
  }

  /** Takes `count` records for timers that the test ignores. */
  fill(records: number): void {
    for (let n = 0; n < records; n++) this.#scheduler._schedule(0, () => {}, 1)
  }

  step(): void {
    const choice = this.#below(100)
    if (choice < 55) this.#add()
    else if (choice < 95) this.#change()
    else this.#advance(1 + this.#below(300))
  }

  /** Runs all pending timers. Returns the faults. */
  finish(): string[] {
    if (this.#faults.length === 0) this.#advance(2 ** 31)
    for (const { name, runs } of this.#entries) if (runs > 1) this.#faults.push(`${name} ran ${runs} times`)
    if (this.#scheduler._pending() !== 0) this.#faults.push(`${this.#scheduler._pending()} are left pending`)
    return this.#faults
  }
}

describe('a wheel whose operations are interrupted', () => {
  const seed = Date.now() % 1e6

  it(`keeps its promises near the end of the stack (seed ${seed})`, () => {
    // The end of the stack depends on which functions are compiled. Each outcome moves the next attempt closer to it.
    let depth = 5000
    const runs = scaled(1, 2)
    let thrown = 0
    for (let run = 0; run < runs; run++) {
      const { below } = randomFrom(seed + run)
      const program = new Program(
        () => {},
        seed + run,
        (code) => {
          try {
            atDepth(depth, code)
            depth += below(16)
            return true
          } catch (error) {
            if (!(error instanceof RangeError)) throw error
            depth -= below(16)
            return false
          }
        },
        false,
      )
      for (let n = 0; n < 1000; n++) program.step()
      const faults = program.finish()
      expect({ run, faults: faults.slice(0, 3) }).toEqual({ run, faults: [] })
      thrown += program.thrown
    }
    expect(thrown).toBeGreaterThan(100 * runs)
  })

  it('returns all timers from stop() after an interrupted growth', () => {
    let isArmed = false
    const interrupt = (): void => {
      if (isArmed) throw new Interruption('interrupted')
    }
    const scheduler = openScheduler(
      coresThat(interrupt),
      () => 0,
      () => {},
    )
    scheduler._tick = 1
    for (let n = 0; n < RECORDS_PER_BLOCK; n++) scheduler._schedule(0, () => {}, 1000)
    isArmed = true
    expect(() => scheduler._schedule(0, () => {}, 1000)).toThrow()
    isArmed = false
    const left = unexpired(scheduler)
    expect(left.length).toBe(RECORDS_PER_BLOCK)
    expect(new Set(left.map(({ remaining }) => remaining))).toEqual(new Set([1000]))
  })

  it(`keeps its promises if calls of the scheduler fail (seed ${seed})`, () => {
    let thrown = 0
    for (let run = 0; run < 6; run++) {
      const { below } = randomFrom(seed + run)
      let isArmed = false
      const program = new Program(
        () => {
          if (isArmed && below(4) === 0) throw new Interruption('interrupted')
        },
        seed + run,
        (code) => {
          isArmed = true
          try {
            code()
            return true
          } catch (error) {
            if (!(error instanceof Interruption) && (error as { code?: string }).code !== 'ERR_WHEEL_FULL') {
              throw error
            }
            return false
          } finally {
            isArmed = false
          }
        },
        true,
      )
      // Some programs need more memory than a new wheel has.
      if (run % 2 === 0) program.fill(RECORDS_PER_BLOCK)
      for (let n = 0; n < 800; n++) program.step()
      const faults = program.finish()
      expect({ run, faults: faults.slice(0, 3) }).toEqual({ run, faults: [] })
      thrown += program.thrown
    }
    expect(thrown).toBeGreaterThan(100)
  })
})

it('reads the clock again in a wheel whose last reading was interrupted after the core had closed the epoch', () => {
  let time = 0
  let interrupts = false
  const scheduler = openScheduler(
    () => {
      const core = instantiateWasm()
      return {
        ...core,
        begin(now) {
          if (!interrupts) return core.begin(now)
          core.end(now)
          throw new Interruption()
        },
      }
    },
    () => time,
    () => {},
  )
  const ranAt: number[] = []
  // Operations 33 to 40 share a reading, which the next operation would use too.
  for (let n = 0; n < 40; n++) scheduler._schedule(0, () => {}, 5000)
  time = 0.9
  interrupts = true
  expect(() => scheduler._readClock()).toThrow(Interruption)
  interrupts = false
  scheduler._schedule(0, () => ranAt.push(time), 100)
  while (ranAt.length === 0) {
    time = Math.max(time, scheduler._nextWake())
    while (scheduler._step());
  }
  expect(ranAt).toEqual([101])
})
