/** Each round performs ordinary operations, interrupts others, and checks all promises afterwards. */
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { atStackEnd, uninterrupted, untilTimeLimit } from './interruptions.mjs'
import { changeBy, check, follow, perform } from './operations.mjs'
import { Programs, SHORT } from './programs.mjs'
import { Subject } from './subject.mjs'
import { blame, found, OVER, PENDING, UNKNOWN } from './timers.mjs'

/** Milliseconds until a timer counts as lost: far more than a busy machine takes. */
const PATIENCE = 20_000
/** A manual wheel runs callbacks amid an interruption. It has no contexts: one that is interrupted can end the process. */
const WHEELS = [
  ['the shared wheel', undefined],
  ['wheel', {}],
  ['wheel without contexts', { asyncContext: false }],
  ['wheel with ticks of 7 ms', { tick: 7, budget: 1 }],
  ['manual wheel', { driver: 'manual', asyncContext: false }],
  ['manual wheel with ticks of 7 ms', { driver: 'manual', asyncContext: false, tick: 7 }],
]

/** Only the shared wheel. */
export const SHARED = WHEELS.slice(0, 1)

export class Rounds {
  /** @param {'stack' | 'time' | 'none'} kind `none` checks the checks */
  constructor(random, library, kind, wheels = WHEELS) {
    this.random = random
    this.library = library
    this.kind = kind
    // advance() runs microtasks, in which a wheel on WebAssembly sets a timer of Node. A time limit or an error there ends the process.
    const movesTime = kind === 'stack' || kind === 'none' || library.backend === 'native'
    this.programs = new Programs(random, (operations) => this.interrupt(operations), movesTime)
    this.subjects = wheels.map(([name, options]) => this.open(name, options))
  }

  open(name, options) {
    const subject = new Subject(name, this.library, options)
    subject.usesRunAll = this.random.oneIn(3)
    return subject
  }

  /** Interrupts operations. Throws all errors of other causes. */
  interrupt(operations) {
    const { random } = this
    const all = [...operations]
    const more = () => {
      const subjects = this.subjects.filter(({ isDraining }) => !isDraining)
      const made = this.programs.operations(random.pick(subjects), 20, { mayBeLost: true, isNested: true })
      all.push(...made)
      return made
    }
    const errors = this.errorsOf(operations, more)
    for (const operation of all) check(operation)
    for (const error of errors) {
      if (error?.code !== 'ERR_WHEEL_ENDLESS') throw error
    }
  }

  errorsOf(operations, more) {
    if (this.kind === 'stack') return atStackEnd(operations, this.random.below(24))
    if (this.kind === 'time') return untilTimeLimit(operations, this.random.between(1, 3), more)
    return uninterrupted(operations)
  }

  /** @param {boolean} isLast whether to wait for all timers */
  async run(rounds, isLast = true) {
    for (let round = 0; round < rounds; round++) {
      await this.inTurn(() => this.round())
      await this.judge()
      if (this.random.oneIn(6)) await this.replace()
    }
    if (isLast) await this.end()
  }

  async end() {
    for (const subject of this.subjects) subject.isDraining = true
    for (const subject of this.subjects) await this.drain(subject)
  }

  /** Interrupts the first operations of a program, in which the library creates its objects. */
  async runCold() {
    const [shared] = this.subjects
    await this.inTurn(() => {
      this.interrupt(this.programs.operations(shared, 40, { mayBeLost: true, isNested: true }))
      this.subjects.push(this.open(...WHEELS[1]))
      for (const subject of this.subjects) this.operate(subject, 20)
    })
    await this.judge()
    await this.end()
    this.stop(this.subjects[1], false)
  }

  /** Runs code in a turn of the event loop. In a microtask, a manual wheel would run no microtasks. */
  inTurn(code) {
    return new Promise((resolve) => {
      setImmediate(() => resolve(new Promise((end) => end(code()))))
    })
  }

  round() {
    const { random, programs } = this
    const chosen = random.oneIn(2) ? [random.pick(this.subjects)] : this.subjects
    for (const subject of chosen) this.operate(subject, random.below(30))
    const amid = []
    for (const subject of chosen) {
      if (random.oneIn(8)) perform(programs.filling(subject, 5120 - subject.crowd.begun))
      amid.push(...programs.operations(subject, Math.ceil(60 / chosen.length), { mayBeLost: true }))
    }
    this.interrupt(amid)
    for (const subject of this.subjects) {
      subject.settle()
      subject.checkCount('after an interruption')
    }
    if (random.oneIn(2)) for (const subject of chosen) this.operate(subject, random.below(40))
  }

  /** Performs uninterrupted operations, which must all succeed. */
  operate(subject, count) {
    for (const operation of this.programs.operations(subject, count)) {
      const before = subject.pending
      try {
        perform(operation)
      } catch (error) {
        throw new Error(`${subject.name}: ${operation.code} threw`, { cause: error })
      }
      const change = subject.pending - before
      // Before `check`, which counts a timer that is missing off those that may be missing.
      const [least, most] = changeBy(operation)
      check(operation)
      if (change < least || change > most) {
        const shown = operation.timer?.describe() ?? ''
        blame(subject, `${operation.code} changed the number of timers by ${change}: ${shown}`)
      }
      if (operation.before === PENDING && change > least) subject.missed(operation)
      this.report()
    }
    subject.checkCount('after operations')
  }

  /** Lets time pass without operations, so that due timers run. */
  async judge() {
    const { subjects } = this
    for (const timer of subjects[0].timers) if (timer.promise !== undefined) follow(timer)
    for (const subject of subjects) if (subject.isManual) await this.inTurn(() => this.advance(subject))
    await this.touch()
    const end = performance.now() + SHORT
    await this.wait(() => subjects.flatMap((subject) => (subject.isManual ? [] : this.dueSoon(subject, end))))
    for (const subject of subjects) {
      subject.checkCount('after a wait')
      subject.forget()
    }
    this.report()
  }

  /** A time limit can drop the microtask in which a wheel requests its wake-up. The next operation requests it again. */
  async touch() {
    await sleep(10)
    for (const { isManual, isStopped, wheel } of this.subjects) {
      if (!isManual && !isStopped) wheel.clearTimeout(wheel.setTimeout(() => {}, 1))
    }
  }

  advance(subject) {
    const operation = this.programs.of('advance', subject, { delay: 4 * SHORT + 3 * subject.tick })
    perform(operation)
    subject.awaited = 0
    subject.checkRun()
    subject.checkCount('after advance()')
    this.report()
  }

  /** Lists the timers that must run soon. A timer that is set again has another time. */
  dueSoon(subject, end) {
    return subject.timers.filter(
      ({ state, most, latest }) => state === PENDING && most <= SHORT && latest - 2 * subject.tick <= end,
    )
  }

  /** Waits until `left()` is empty. */
  async wait(left) {
    const end = performance.now() + PATIENCE
    for (;;) {
      const timers = left()
      this.report()
      if (timers.length === 0) return
      if (performance.now() > end) {
        const [timer] = timers
        blame(timer.subject, `${timers.length} timers never ran, as ${timer.describe()}`)
      }
      await sleep(1)
    }
  }

  /** Ends a wheel in a random way, and puts a new one in its place. */
  async replace() {
    const { random } = this
    const place = random.between(1, WHEELS.length - 1)
    const subject = this.subjects[place]
    if (random.oneIn(2)) await this.drain(subject)
    const isInterrupted = random.oneIn(2)
    await this.inTurn(() => this.stop(subject, isInterrupted))
    this.subjects[place] = this.open(...WHEELS[place])
  }

  /** Stops a wheel. stop() must return exactly the pending timers. */
  stop(subject, isInterrupted) {
    const stop = this.programs.of('stop', subject, {})
    if (isInterrupted) {
      // Repeat it, because each call may run out of stack. Under a time limit, call it once.
      const count = this.kind === 'stack' ? 8 : 1
      const others = this.programs.operations(subject, 5, { mayBeLost: true })
      this.interrupt([...others, ...Array(count).fill(stop)])
      subject.settle()
    }
    const isFirst = !subject.isEnding
    const { pending, wheel } = subject
    subject.isEnding = true
    // One of the calls returns all timers.
    const left = [...subject.stops, wheel.stop()].flatMap((timers) => timers ?? [])
    subject.isStopped = true
    if (wheel.pending !== 0) blame(subject, `${wheel.pending} timers are pending after stop()`)
    if (wheel.stop().length !== 0) blame(subject, 'a second stop() returned timers')
    if (isFirst && left.length !== pending)
      blame(subject, `stop() returned ${left.length} of ${pending} timers`)
    this.checkLeft(subject, left)
    this.report()
  }

  checkLeft(subject, left) {
    const callbacks = new Set(left.map(({ callback }) => callback))
    for (const timer of subject.timers) {
      const isLeft = callbacks.has(timer.callback)
      if (timer.state === PENDING && !isLeft && !subject.lacks(timer) && !subject.awaits(timer)) {
        blame(subject, `stop() did not return ${timer.describe()}`)
      }
      if (timer.state === OVER && isLeft) blame(subject, `stop() returned ${timer.describe()}`)
    }
  }

  /** Clears all timers with long delays, and lets the others run, until none is pending. */
  async drain(subject) {
    subject.isDraining = true
    await this.inTurn(() => {
      for (const timer of subject.timers) {
        if (timer.state !== PENDING && timer.state !== UNKNOWN) continue
        // If the call was interrupted, the program has no promise. It could not handle the rejection that follows an abort.
        if (timer.controller !== undefined && timer.state === PENDING) {
          timer.state = OVER
          timer.controller.abort()
        }
        if (timer.handle === undefined && timer.id === undefined) continue
        if (!timer.repeats && timer.most <= SHORT && timer.state === PENDING && timer.action === undefined)
          continue
        const code = timer.kind === 'id' ? 'cancel' : 'clear'
        perform(this.programs.of(code, subject, { timer, way: 0 }))
      }
      subject.checkCount('after all were cleared')
      if (subject.isManual) this.advance(subject)
    })
    if (subject.isManual || subject.isShared) return this.judge()
    // If a call was interrupted, nobody may have the handle of its timer. The timer runs by itself, unless its delay is long.
    const lost = subject.timers.filter(({ state, most }) => state === UNKNOWN && most > SHORT).length
    await this.wait(() => {
      if (subject.pending <= lost) return []
      return [{ subject, describe: () => `one of ${subject.pending} pending, at most ${lost} are lost` }]
    })
  }

  report() {
    if (found.fault !== undefined) throw new Error(found.fault)
  }
}
