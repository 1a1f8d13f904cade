/** The operations of the programs: `perform` calls the library, `check` checks the result afterwards. */
import { performance } from 'node:perf_hooks'
import { blame, NEW, OVER, PENDING, UNKNOWN } from './timers.mjs'

/** Milliseconds of work between operations. After it, a wheel reads the clock more often. */
const WORK = 1

/** Performs one operation. It is one long function: with more functions, the stack could end at more places outside of the library. */
export function perform(op) {
  const { timer, subject, delay } = op
  // A callback performs its operations up to three times.
  op.hasReturned = false
  if (subject.isEnding || timer?.isForgotten) return
  const base = subject.isManual ? subject.earliestNow : op.base
  const latest = (subject.isManual ? subject.latestNow : op.base) + 2 * subject.tick
  const { wheel, crowd } = subject
  if (timer !== undefined) op.before = timer.state
  switch (op.code) {
    case 'set':
      if (timer.state !== NEW) return
      timer.arms = 1
      timer.least = delay
      timer.most = delay
      timer.earliest = base + delay
      timer.latest = latest + delay
      timer.state = UNKNOWN
      if (timer.kind === 'timeout') timer.handle = wheel.setTimeout(timer.callback, delay)
      else if (timer.kind === 'interval') timer.handle = wheel.setInterval(timer.callback, delay, timer)
      else if (timer.kind === 'id') timer.id = wheel.schedule(timer.callback, delay, timer)
      else timer.promise = wheel.promises.setTimeout(delay, timer, op.options)
      timer.state = PENDING
      break
    case 'clear':
      if (timer.handle === undefined) return
      if (timer.state === PENDING) timer.state = UNKNOWN
      timer.isClearing = true
      if (op.way === 0) wheel.clearTimeout(timer.handle)
      else if (op.way === 1) timer.handle.close()
      else if (op.way === 2) wheel.clearInterval(timer.number ?? timer.handle)
      else timer.handle[op.way]()
      timer.state = OVER
      // A number refers to its timer until the timer is over, and it may be over since its callback began.
      if (op.way === 2 && timer.number !== undefined && op.before !== PENDING) break
      timer.isCleared = true
      timer.isClearing = false
      break
    case 'cancel':
      if (timer.id === undefined) return
      if (timer.state === PENDING) timer.state = UNKNOWN
      op.result = wheel.cancel(timer.id)
      timer.state = OVER
      timer.isCleared = true
      break
    case 'reschedule':
      if (timer.id === undefined) return
      if (base + delay < timer.earliest) timer.earliest = base + delay
      if (latest + delay > timer.latest) timer.latest = latest + delay
      if (delay > timer.most) timer.most = delay
      op.result = wheel.reschedule(timer.id, delay)
      if (!op.result) break
      timer.earliest = base + delay
      timer.latest = latest + delay
      timer.least = delay
      timer.most = delay
      timer.state = PENDING
      break
    case 'refresh':
      if (timer.handle === undefined) return
      // If the delay is undefined, it stays: all comparisons with undefined are false.
      if (delay < timer.least) timer.least = delay
      if (delay > timer.most) timer.most = delay
      // If its own callback refreshes an interval, the delay still counts from the start of that run.
      if (timer.repeats && subject.running === timer) {
        if (timer.started + delay < timer.earliest) timer.earliest = timer.started + delay
        if (latest + delay > timer.latest) timer.latest = latest + delay
        timer.handle.refresh(delay)
        break
      }
      op.isArmed = timer.state === OVER && !timer.isCleared
      if (op.isArmed) {
        timer.state = UNKNOWN
        timer.arms++
        timer.earliest = Number.POSITIVE_INFINITY
      }
      if (base + timer.least < timer.earliest) timer.earliest = base + timer.least
      if (latest + timer.most > timer.latest) timer.latest = latest + timer.most
      timer.handle.refresh(delay)
      if (op.before === UNKNOWN || timer.isClearing) break
      if (delay !== undefined) {
        timer.least = delay
        timer.most = delay
      }
      timer.earliest = base + timer.least
      timer.latest = latest + timer.most
      if (op.isArmed) timer.state = PENDING
      break
    case 'ref':
    case 'unref':
      if (timer.handle === undefined) return
      timer.handle[op.code]()
      op.hasRef = timer.handle.hasRef()
      break
    case 'number':
      if (timer.handle === undefined) return
      timer.number = op.way === 0 ? +timer.handle : `${+timer.handle}`
      break
    case 'advance':
    case 'runAll':
      if (subject.isAdvancing && subject.running === undefined) {
        subject.mayLack++
        subject.wasCut = true
      }
      subject.running = undefined
      subject.isAdvancing = true
      if (op.code === 'advance') {
        subject.latestNow += delay
        wheel.advance(delay)
        subject.earliestNow += delay
      } else {
        subject.latestNow = Number.POSITIVE_INFINITY
        wheel.runAll()
      }
      subject.isAdvancing = false
      break
    case 'burst':
      for (let i = 0; i < op.count; i++) {
        crowd.begun++
        if (subject.isShared || op.way === 0) wheel.setTimeout(crowd.callback, delay)
        else wheel.schedule(crowd.callback, delay)
        crowd.set++
      }
      break
    case 'several':
      for (let i = 0; i < op.list.length; i++) perform(op.list[i])
      break
    case 'work':
      for (const end = performance.now() + WORK; performance.now() < end; );
      break
    case 'stop':
      subject.isEnding = true
      subject.stops[subject.stopCount++] = wheel.stop()
      break
    default:
      throw new Error(`no operation is called ${op.code}`)
  }
  op.hasReturned = true
}

/** Checks the result of an operation. */
export function check(op) {
  const { subject, timer } = op
  for (const one of op.list ?? []) check(one)
  if (timer?.promise !== undefined) follow(timer)
  if (!op.hasReturned) return
  if (/^(cancel|reschedule)$/.test(op.code) && (op.before === PENDING || op.before === OVER)) {
    const isPending = op.before === PENDING
    if (op.result !== isPending && !(isPending && subject.lacks(timer)))
      blame(subject, `${op.code} returned ${op.result}, not ${isPending}: ${timer.describe()}`)
  }
  if (op.hasRef !== undefined && op.hasRef !== (op.code === 'ref'))
    blame(subject, `hasRef() after ${op.code}()`)
}

/** Returns the least and the greatest change in the number of pending timers by an uninterrupted operation. */
export function changeBy(op) {
  const { before, subject, timer } = op
  const isAway = timer?.repeats ? subject.awaited > 0 : subject.mayLack > 0
  const slack = isAway ? 1 : 0
  if (subject.isShared || (!op.hasReturned && op.code !== 'several')) return [0, 0]
  switch (op.code) {
    case 'set':
      return [1, 1]
    case 'clear':
    case 'cancel':
      if (before === PENDING) return [-1, slack - 1]
      return before === UNKNOWN ? [-1, 0] : [0, 0]
    case 'refresh':
      if (op.isArmed) return [timer.isClearing ? 0 : 1, 1]
      return before === UNKNOWN ? [0, 1] : [0, before === PENDING ? slack : 0]
    case 'burst':
      return [op.count, op.count]
    case 'several':
      return op.list.map(changeBy).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0])
    default:
      return [0, 0]
  }
}

/** Waits for a promise, once. A call that runs out of stack may reject its promise. */
export function follow(timer) {
  const { promise, subject } = timer
  timer.promise = undefined
  promise.then(timer.callback, (error) => {
    if (timer.controller?.signal.aborted && error.name === 'AbortError') return
    if (!isStackEnd(error)) blame(subject, `a promise was rejected with ${error}: ${timer.describe()}`)
    timer.state = OVER
  })
}

export function isStackEnd(error) {
  return error instanceof RangeError && error.message === 'Maximum call stack size exceeded'
}
