/**
 * Runs a program (see program.ts) on the timers that the first argument names, and prints what can be seen of it.
 *
 *   node child.cjs <native|wasm|node|node-beside-wasm> [fault, of faults.cjs] < program.json
 *
 * Time is virtual (virtual_clock.cc), so every line begins with the very millisecond.
 */
'use strict'
const { AsyncLocalStorage, createHook, executionAsyncId, executionAsyncResource, triggerAsyncId } =
  require('node:async_hooks')
const { readFileSync, writeSync } = require('node:fs')
const { Expectations } = require('./expectations.cjs')
const { FAULTS } = require('./faults.cjs')
const { CALLBACKS, DELAYS, NO_TIMERS, delayOf } = require('./values.cjs')

const [subject, fault] = process.argv.slice(2)
const faultless = subject.startsWith('node') ? require('node:timers') : require(`timeout-wheel/${subject}`)
const timers = fault === undefined ? faultless : FAULTS[fault](faultless)
const program = JSON.parse(readFileSync(0, 'utf8'))
const domain = program.domain ? require('node:domain') : undefined
const storage = new AsyncLocalStorage()
const resolved = Promise.resolve()

const start = performance.now()
const time = () => performance.now() - start

// ---- the log --------------------------------------------------------------------------------------------------------

const lines = []
/** The resources whose destroy events have come. */
const destroyed = []
/**
 * The names of async ids. What runs between two callbacks has no name: for it, Node has the id 0, and the wheel that of what
 * it is woken in.
 */
const names = new Map([[1, 'root']])
const nameOf = (id) => names.get(id) ?? '-'

/** What happened, when, in which async context. */
function log(text) {
  const context = `${storage.getStore() ?? '-'} ${nameOf(executionAsyncId())}<${nameOf(triggerAsyncId())}`
  lines.push(`${time()} [${context}] ${text}`)
}

const show = (error) => (error instanceof Error ? `${error.name} ${error.code} ${error.message}` : `${error}`)

// ---- timers ---------------------------------------------------------------------------------------------------------

/** How many operations of a kind that lets a program go on may run, whatever refreshes and repeats itself. */
let fuel = 150
/** @type {Map<number, Instance>} the last timer that each `set` of the program has made */
const latest = new Map()
const expectations = new Expectations(time)
/** The timer that is being set, whose name its async resource gets. */
let inSet
let lastArmed = -1
let lastBlocked = -1

/** A timer that was set. */
class Instance {
  constructor({ id, kind, delay, body, runs }, label) {
    this.label = label
    this.repeats = kind === 'setInterval'
    this.ms = delayOf(delay)
    this.body = body
    this.mostRuns = runs
    this.runs = 0
    this.resources = 0
    this.isRunning = false
    this.cleared = false
    /** Whether its number has been asked for, and before it was set again after it had run. */
    this.numbered = false
    this.numberOutdated = false
    this.id = id
  }

  arm(from = time()) {
    expectations.arm(this, from + this.ms)
    lastArmed = time()
  }

  get isPending() {
    return expectations.has(this)
  }

  run(self, args) {
    const shown = args.map((arg) => (arg === self ? 'itself' : arg)).join()
    const resource = executionAsyncResource() === this.handle
    // Without hooks, this is the first that is known of its id.
    if (!names.has(executionAsyncId())) names.set(executionAsyncId(), this.label)
    for (const fault of expectations.run(this)) log(fault)
    this.runs++
    log(`run ${this.label} this=${self === this.handle} args=${shown} resource=${resource}`)
    const started = time()
    this.isRunning = true
    try {
      if (this.repeats && (this.runs >= this.mostRuns || fuel <= 0)) this.clear('handle')
      perform(this.body)
    } finally {
      this.isRunning = false
      if (this.repeats && !this.cleared) this.arm(started)
    }
  }

  clear(by) {
    const { handle } = this
    if (by === 'number' || by === 'text') {
      // Once a timer that had a number is set again after it ran, Node forgets its number and gives it no other.
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
    expectations.disarm(this)
    this.cleared = true
  }

  refresh() {
    // Node sets a timer that was cleared after it ran: it does nothing, but keeps the process alive until it is due.
    if (this.cleared && this.clearedLate) return
    log(`refresh ${this.label}`)
    if (!this.cleared && !this.isPending && !this.isRunning && this.numbered) this.numberOutdated = true
    inSet = this
    const result = this.handle.refresh()
    inSet = undefined
    log(`itself ${result === this.handle}`)
    if (!this.cleared) this.arm()
  }
}

function set(op) {
  const earlier = latest.get(op.id)
  const made = earlier === undefined ? 1 : earlier.made + 1
  const instance = new Instance(op, made === 1 ? `${op.id}` : `${op.id}.${made}`)
  instance.made = made
  const args = op.args.map((name) => (name === 'object' ? { toString: () => 'object' } : name))
  const given = op.delay === 'left out' ? [] : [DELAYS[op.delay] ?? op.delay]
  if (op.delay === 'undefined') given[0] = undefined
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
  if (subject === 'node-beside-wasm') beWasm()
  instance.arm()
  if (op.unref) instance.handle.unref()
}

/** At most one. */
const idleWheels = []
/** What a wheel on WebAssembly brings with it, and Node's timers do not. */
function beWasm() {
  resolved.then(() => {})
  if (idleWheels.length > 0) return
  const { TimerWheel } = require('timeout-wheel/wasm')
  idleWheels.push(new TimerWheel({ driver: 'manual' }))
}

// ---- operations -----------------------------------------------------------------------------------------------------

/** Lets time pass without a turn of the event loop. */
function block() {
  const now = time()
  // Delays that were set since the clock was last read may count from the end of the block: a documented difference. And
  // Node wakes a millisecond late for what comes due while its callbacks run.
  if (lastArmed === now || lastBlocked === now || expectations.areDue(now, now + BLOCK)) return
  while (time() < now + BLOCK);
  lastBlocked = time()
  log('blocked')
}
/** Milliseconds; less than a slice, after which the wheel lets other work of the loop go first: a documented difference. */
const BLOCK = 2

let runsOf = 0
/** A function that runs operations, with a name of its own in the log. */
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
  clear: (op, instance) => instance?.clear(op.by),
  refresh: (_op, instance) => instance?.refresh(),
  ref: (_op, instance) =>
    instance && log(`ref ${instance.label} ${instance.handle.ref() === instance.handle}`),
  unref: (_op, instance) =>
    instance && log(`unref ${instance.label} ${instance.handle.unref() === instance.handle}`),
  hasRef: (_op, instance) => instance && log(`hasRef ${instance.label} ${instance.handle.hasRef()}`),
  number(_op, instance) {
    if (instance === undefined || instance.numberOutdated) return
    instance.numbered = true
    const number = +instance.handle
    log(`number ${instance.label} ${typeof number} ${number === Number(instance.handle)}`)
  },
  clearOdd: (op) => timers.clearTimeout(NO_TIMERS[op.value]),
  badCallback(op) {
    try {
      timers[op.kind](CALLBACKS[op.value], 5)
    } catch (error) {
      log(`refused: ${show(error)}`)
    }
  },
  tick: (op) => process.nextTick(later('tick', op.body)),
  microtask: (op) => queueMicrotask(later('microtask', op.body)),
  promise: (op) => Promise.resolve().then(later('promise', op.body)),
  async: (op) => {
    const rest = later('async', op.body)
    ;(async () => {
      await undefined
      rest()
    })()
  },
  immediate: (op) => setImmediate(later('immediate', op.body)),
  reject: (op) => Promise.reject(failure(`rejected ${op.name}`)),
  throw(op) {
    log(`throw ${op.name}`)
    throw failure(`thrown ${op.name}`)
  },
  run: (op) => storage.run(op.store, () => perform(op.body)),
  exit: (op) => storage.exit(() => perform(op.body)),
  enter: (op) => storage.enterWith(op.store),
  domain(op) {
    const one = domain.create()
    one.on('error', (error) => log(`domain ${op.name}: ${show(error)}`))
    one.run(() => perform(op.body))
  },
  block,
}

/** An error without a stack: what a process prints that dies of it shall not depend on who called the callback. */
function failure(message) {
  const error = new Error(message)
  error.stack = message
  return error
}

/** These make further operations run. */
const FUELLED = new Set(['set', 'refresh', 'tick', 'microtask', 'promise', 'async', 'immediate'])

function perform(body) {
  for (const op of body) {
    if (FUELLED.has(op.op) && fuel-- <= 0) continue
    OPERATIONS[op.op](op, latest.get(op.target))
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
  log('beforeExit')
  const body = program.beforeExit[exits++]
  if (body !== undefined) perform(body)
})
process.on('exit', (code) => {
  // Without a context: where the process dies of an exception, Node is still in that of the callback.
  lines.push(`${time()} exit ${code}`)
  lines.push(`destroyed ${destroyed.join(' ')}`)
  writeSync(1, `${lines.join('\n')}\n`)
})

if (program.hooks) {
  // Of the resources of timers that the program has set. The wheel has one of its own that it is woken in, and where it is
  // WebAssembly a timer of the host: documented.
  const ours = new Set()
  const note = (what) => (id) => {
    if (ours.has(id)) lines.push(`${time()} ${what} ${nameOf(id)}`)
  }
  createHook({
    init(id, type, trigger) {
      if (type !== 'Timeout' || inSet === undefined) return
      ours.add(id)
      names.set(id, `${inSet.label}${"'".repeat(inSet.resources++)}`)
      lines.push(`${time()} init ${nameOf(id)}<${nameOf(trigger)}`)
    },
    before: note('before'),
    after: note('after'),
    // Comes in some later turn of the event loop, whenever that is. Its order alone can be relied on.
    destroy(id) {
      if (ours.has(id)) destroyed.push(nameOf(id))
    },
  }).enable()
}

// Until a store is first used, Node does not follow promises: what is entered in one stays with whatever runs outside of all
// callbacks, and that is not the same for the wheel.
if (JSON.stringify(program).includes('"op":"enter"')) storage.run('', () => {})

perform(program.main)
