/**
 * Runs a program (see program.ts) on the timers that the first argument names, and prints its log.
 *
 *   node child.cjs <native|wasm|node|node-beside-wasm> [fault, of faults.cjs] < program.json
 *
 * Time is virtual (virtual_clock.cc), so every line begins with its exact millisecond.
 */
'use strict'
const { AsyncLocalStorage, createHook, executionAsyncId, executionAsyncResource, triggerAsyncId } =
  require('node:async_hooks')
const { readFileSync, writeSync } = require('node:fs')
const { FAULTS } = require('./faults.cjs')
const { DELAYS, delayOf } = require('./values.cjs')

const [subject, fault] = process.argv.slice(2)
const faultless = subject.startsWith('node') ? require('node:timers') : require(`timeout-wheel/${subject}`)
const timers = fault === undefined ? faultless : FAULTS[fault](faultless)
const isBesideWasm = subject === 'node-beside-wasm'
if (isBesideWasm) exports.idle = new (require('timeout-wheel/wasm').TimerWheel)({ driver: 'manual' })
const program = JSON.parse(readFileSync(0, 'utf8'))
const storage = new AsyncLocalStorage()
const resolved = Promise.resolve()

const start = performance.now()
const time = () => performance.now() - start

// ---- the log --------------------------------------------------------------------------------------------------------

const lines = []
/** The resources whose destroy events have arrived. */
const destroyed = []
/** The names of async ids. Code between two callbacks has none: its id is 0 on Node, and on a wheel that of its wake-up. */
const names = new Map([[1, 'root']])
const nameOf = (id) => names.get(id) ?? '-'

/** Logs an event with its time and its async context. */
function log(text) {
  const stores = storage.getStore() ?? '-'
  lines.push(`${time()} [${stores} ${nameOf(executionAsyncId())}<${nameOf(triggerAsyncId())}] ${text}`)
}

const show = (error) => (error instanceof Error ? `${error.name} ${error.code} ${error.message}` : `${error}`)

// ---- timers ---------------------------------------------------------------------------------------------------------

/** The remaining number of operations that keep a program running. It ends programs whose timers repeat or refresh endlessly. */
let fuel = 150
/** @type {Map<number, Instance>} the last timer of each `set` of the program */
const latest = new Map()
/** The timer that is being set. Its async resource gets its name. */
let inSet
/** Whether the event loop is in its phase of timers: in a timer's callback, or in work that it queued. */
let isInTimers = false
/** When the interval whose callback is running is due again. */
let dueAgain = Number.POSITIVE_INFINITY

/** The deadline of each timer that is set, and its place in the order of the calls that set timers. */
const armed = new Map()
let order = 0

/** Notes that a timer runs: by deadline, then in the order in which they were set. Returns the fault, if there is one. */
function faultOf(timer) {
  const due = armed.get(timer)
  if (due === undefined) return 'FAULT runs although it is not set'
  armed.delete(timer)
  if (time() < due.deadline) return `FAULT early, due at ${due.deadline}`
  const isBefore = (other) =>
    other.deadline < due.deadline || (other.deadline === due.deadline && other.order < due.order)
  return [...armed.values()].some(isBefore) ? 'OUT OF ORDER' : undefined
}

/** One timer. */
class Instance {
  runs = 0
  resources = 0
  isRunning = false
  cleared = false
  /** Whether it was cleared after it had run. */
  clearedLate = false
  /** Whether the program has read its number, and whether it did so before the timer was set again after a run. */
  numbered = false
  numberOutdated = false

  constructor({ kind, delay, body, runs }, label) {
    this.label = label
    this.repeats = kind === 'setInterval'
    this.ms = delayOf(delay)
    this.body = body
    this.mostRuns = runs
  }

  arm(from = time()) {
    armed.set(this, { deadline: from + this.ms, order: ++order })
  }

  get isPending() {
    return armed.has(this)
  }

  logFields() {
    // Those of a timer that is cleared after it has run are not Node's.
    if (!program.fields || this.clearedLate) return
    const t = this.handle
    // Node keeps the fraction of a delay, and the arguments and the start of a timer that is over.
    const shown = [t._idleTimeout, t._repeat].map((ms) => ms && Math.trunc(ms))
    shown.push(!!t._onTimeout, t._destroyed)
    if (!t._destroyed) shown.push(t._timerArgs)
    if (this.isPending) shown.push(typeof t._idleStart)
    log(`fields ${shown.map(String).join(' ')}`)
  }

  run(self, args) {
    const shown = args.map((arg) => (arg === self ? 'itself' : arg)).join()
    const resource = executionAsyncResource() === this.handle
    // Without hooks, its id is first known here.
    if (!names.has(executionAsyncId())) names.set(executionAsyncId(), this.label)
    const fault = faultOf(this)
    if (fault !== undefined) log(fault)
    this.runs++
    log(`run ${this.label} this=${self === this.handle} args=${shown} resource=${resource}`)
    this.logFields()
    const started = time()
    this.isRunning = true
    isInTimers = true
    if (this.repeats) dueAgain = started + this.ms
    try {
      if (this.repeats && (this.runs >= this.mostRuns || fuel <= 0)) this.clear('handle')
      perform(this.body)
    } finally {
      this.isRunning = false
      dueAgain = Number.POSITIVE_INFINITY
      if (this.repeats && !this.cleared) this.arm(started)
    }
  }

  clear(by) {
    const { handle } = this
    if (by === 'number' || by === 'text') {
      // If a timer with a number is set again after it ran, Node forgets the number and gives it no other.
      if (this.numberOutdated) by = 'handle'
      else this.numbered = true
    }
    log(`clear ${this.label} by ${by}`)
    if (by === 'handle') timers.clearTimeout(handle)
    else if (by === 'clearInterval') timers.clearInterval(handle)
    else if (by === 'number') timers.clearTimeout(+handle)
    else if (by === 'text') timers.clearTimeout(`${+handle}`)
    else if (by === 'close') log(`itself ${handle.close() === handle}`)
    else handle[Symbol.dispose ?? Symbol.for('Symbol.dispose')]()
    if (!this.isPending && !this.isRunning && !this.cleared) this.clearedLate = true
    armed.delete(this)
    this.cleared = true
    this.logFields()
  }

  refresh() {
    // Node sets a timer again that was cleared after it ran: it does nothing, but keeps the process alive until it is due.
    if (this.clearedLate) return
    log(`refresh ${this.label}`)
    if (!this.cleared && !this.isPending && !this.isRunning && this.numbered) this.numberOutdated = true
    inSet = this
    const result = this.handle.refresh()
    inSet = undefined
    log(`itself ${result === this.handle}`)
    // A refresh of an interval by its own callback does not count: the next delay counts from the start of the run.
    if (!this.cleared && !(this.repeats && this.isRunning)) this.arm()
    this.logFields()
  }
}

function set(op) {
  const made = 1 + (latest.get(op.id)?.made ?? 0)
  const instance = new Instance(op, made === 1 ? `${op.id}` : `${op.id}.${made}`)
  instance.made = made
  const args = op.args.map((name) => (name === 'object' ? { toString: () => 'object' } : name))
  const given =
    op.delay === 'undefined' ? [undefined] : op.delay === 'left out' ? [] : [DELAYS[op.delay] ?? op.delay]
  log(`${op.kind} ${instance.label}`)
  inSet = instance
  function callback(...received) {
    instance.run(this, received)
  }
  try {
    instance.handle = timers[op.kind](callback, ...given, ...(given.length === 0 ? [] : args))
  } catch (error) {
    log(`refused: ${show(error)}`)
    return
  } finally {
    inSet = undefined
  }
  latest.set(op.id, instance)
  if (isBesideWasm) resolved.then(() => {})
  instance.arm()
  if (op.unref) instance.handle.unref()
  instance.logFields()
}

// ---- operations -----------------------------------------------------------------------------------------------------

/** Lets time pass without a turn of the event loop: timers become overdue. */
function block() {
  const now = time()
  // Node wakes a millisecond late for timers that become due in its phase of timers.
  const isDueSoon = ({ deadline }) => deadline > now && deadline <= now + BLOCK
  if (isInTimers && (dueAgain <= now + BLOCK || [...armed.values()].some(isDueSoon))) return
  while (time() < now + BLOCK);
  log('blocked')
}
/** Milliseconds. */
const BLOCK = 2

let runsOf = 0
/** Makes a function that runs operations and has its own name in the log. */
function later(kind, body) {
  const name = `${kind} ${++runsOf}`
  log(`queue ${name}`)
  return () => {
    log(name)
    perform(body)
  }
}

const OPERATIONS = {
  set,
  clear: (op, instance) => instance.clear(op.by),
  refresh: (_op, instance) => instance.refresh(),
  ref: (_op, { label, handle }) => log(`ref ${label} ${handle.ref() === handle}`),
  unref: (_op, { label, handle }) => log(`unref ${label} ${handle.unref() === handle}`),
  hasRef: (_op, { label, handle }) => log(`hasRef ${label} ${handle.hasRef()}`),
  number(_op, instance) {
    if (instance.numberOutdated) return
    instance.numbered = true
    const number = +instance.handle
    log(`number ${instance.label} ${typeof number} ${number === Number(instance.handle)}`)
  },
  tick: (op) => process.nextTick(later('tick', op.body)),
  microtask: (op) => queueMicrotask(later('microtask', op.body)),
  promise: (op) => Promise.resolve().then(later('promise', op.body)),
  async async(op) {
    const rest = later('async', op.body)
    await undefined
    rest()
  },
  immediate(op) {
    const run = later('immediate', op.body)
    setImmediate(() => {
      isInTimers = false
      run()
    })
  },
  reject: (op) => Promise.reject(failure(`rejected ${op.name}`)),
  throw(op) {
    log(`throw ${op.name}`)
    throw failure(`thrown ${op.name}`)
  },
  run: (op) => storage.run(op.store, () => perform(op.body)),
  exit: (op) => storage.exit(() => perform(op.body)),
  enter: (op) => storage.enterWith(op.store),
  block,
}

/** Makes an error without a stack, so that the output of a dying process does not depend on the caller of the callback. */
function failure(message) {
  const error = new Error(message)
  error.stack = message
  return error
}

/** These make further operations run. */
const FUELLED = new Set(['set', 'refresh', 'tick', 'microtask', 'promise', 'async', 'immediate'])

function perform(body) {
  for (const op of body) {
    const instance = latest.get(op.target)
    if (op.target !== undefined && instance === undefined) continue
    if (FUELLED.has(op.op) && fuel-- <= 0) continue
    OPERATIONS[op.op](op, instance)
  }
}

// ---- the process ----------------------------------------------------------------------------------------------------

process.on('warning', (warning) => log(`warning ${warning.name} ${warning.message}`))
if (program.handlers) {
  process.on('uncaughtException', (error) => log(`uncaughtException ${show(error)}`))
  process.on('unhandledRejection', (error) => log(`unhandledRejection ${show(error)}`))
}
let exits = 0
process.on('beforeExit', () => {
  isInTimers = false
  log('beforeExit')
  const body = program.beforeExit[exits++]
  if (body !== undefined) perform(body)
})
process.on('exit', (code) => {
  // Log without a context: if an exception ends the process, Node is still in the context of the callback.
  lines.push(`${time()} exit ${code}`)
  lines.push(`destroyed ${destroyed.join(' ')}`)
  writeSync(1, `${lines.join('\n')}\n`)
})

if (program.hooks) {
  const seen = new Set()
  const note = (what) => (id) => {
    if (seen.has(id)) lines.push(`${time()} ${what} ${nameOf(id)}`)
  }
  createHook({
    init(id, type, trigger) {
      // The wheel makes promises between callbacks, and on WebAssembly beside timers.
      if (type === 'PROMISE' && (executionAsyncId() === 0 || subject.endsWith('wasm'))) return
      // Hooks see the promises of the driver, and on WebAssembly its timers and immediates. Their trigger is a resource of the package.
      const isOfDriver = type === 'PROMISE' || (subject.endsWith('wasm') && inSet === undefined)
      if (isOfDriver && nameOf(trigger) === '-') return
      seen.add(id)
      const isTimer = type === 'Timeout' && inSet !== undefined
      names.set(id, isTimer ? `${inSet.label}${"'".repeat(inSet.resources++)}` : `${type} ${seen.size}`)
      lines.push(`${time()} init ${nameOf(id)}<${nameOf(trigger)}`)
    },
    before: note('before'),
    after: note('after'),
    // Arrives in any later turn of the event loop. Only the order is reliable, and for promises not even that.
    destroy(id) {
      if (seen.has(id) && !nameOf(id).startsWith('PROMISE')) destroyed.push(nameOf(id))
    },
  }).enable()
}

// Until a store is first used, Node does not follow promises: a store that a promise enters then stays for all code
// outside of callbacks. That code is not the same for the wheel, so use a store first.
if (JSON.stringify(program).includes('"op":"enter"')) storage.run('', () => {})

perform(program.main)
