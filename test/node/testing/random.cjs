/**
 * Random programs under a test tool. Each runs twice: on the timers of the tool, and on those of a wheel. Both must run the same timers at
 * the same times. Timers of one time may change places: a tool runs them in the order in which they were made, a wheel in the order in which
 * they were last set. The wheel has another timer from before the tool, which must outlive each tool.
 */
const assert = require('node:assert/strict')

/** A random generator of whole numbers below `n`. */
const randomOf = (seed) => (n) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * n)
}

/** The delay of all members of the group. */
const GROUP = 70

/** Each kind of timer: how to set, end and refresh it. */
function kindsOf({ TimeoutMap }, wheel) {
  const group = wheel.group((callback) => callback(), GROUP)
  const map = new TimeoutMap({ wheel, ttl: 50, onExpire: (callback) => callback() })
  return {
    timeout: [
      (callback, ms) => wheel.setTimeout(callback, ms),
      (handle) => wheel.clearTimeout(handle),
      (handle) => handle.refresh(),
    ],
    interval: [
      (callback, ms) => wheel.setInterval(callback, ms),
      (handle) => wheel.clearInterval(handle),
      (handle) => handle.refresh(),
    ],
    id: [
      (callback, ms) => wheel.schedule(callback, ms),
      (id) => wheel.cancel(id),
      (id, ms) => wheel.reschedule(id, ms),
    ],
    signal: [
      (callback, ms) => {
        const signal = wheel.signal(ms)
        signal.addEventListener('abort', callback)
        return signal
      },
      (signal) => signal.clear(),
      (signal) => signal.refresh(),
    ],
    member: [
      (callback) => group.add(callback),
      (member) => group.delete(member),
      (member) => group.touch(member),
    ],
    entry: [
      (callback, ms) => map.set(callback, callback, ms) && callback,
      (key) => map.delete(key),
      (key) => map.touch(key),
    ],
  }
}
const clear = (timer) => globalThis.clearTimeout(timer)
const once = [(callback, ms) => globalThis.setTimeout(callback, ms), clear]
const KINDS_OF_TOOL = {
  timeout: once,
  interval: [(callback, ms) => globalThis.setInterval(callback, ms), clear],
  id: once,
  signal: once,
  member: once,
  entry: once,
}
/** The kinds that a tool does not drop. */
const LASTING = ['member', 'entry']

/** Runs a program. Returns a line for each callback, and for each step. @param wheel undefined: on the timers of the tool */
function play(seed, tool, kinds, wheel) {
  const random = randomOf(seed)
  const steps = 10 + random(40)
  const left = [...(tool.unfit ?? []), ...(seed % 2 === 0 ? [] : ['entry'])]
  const names = Object.keys(kinds).filter((name) => !left.includes(name))
  const timers = []
  let lines = []
  let base = 0
  let sets = 0
  let last = { time: 0, order: 0 }
  const old = wheel?.setTimeout(() => {}, 1e8).unref()
  // The entries of a map are one timer of the wheel, which can wake the tool for nothing.
  const isExact = !names.includes('entry')

  const log = (line) => lines.push(`${tool.now() - base} ${line}`)
  const begin = () => {
    tool.fake()
    base = tool.now()
  }
  function set(timer) {
    timer.handle = kinds[timer.kind][0](() => run(timer), timer.ms)
    timer.isPending = true
    timer.order = ++sets
  }
  function add(name, kind, ms) {
    const timer = { name, kind, ms: kind === 'member' ? GROUP : ms, runs: 0, isOver: false }
    timers.push(timer)
    set(timer)
  }
  function end(timer) {
    // `node:test` would clear another timer if this one has run.
    if (timer.isPending || wheel) kinds[timer.kind][1](timer.handle)
    timer.isPending = false
    timer.isOver = true
  }
  function refresh(timer) {
    const [, clearOld, refreshOwn] = kinds[timer.kind]
    // Only a handle can be set again after its run.
    const isSet = timer.isPending || (timer.kind === 'timeout' && !timer.isOver)
    if (refreshOwn) refreshOwn(timer.handle, timer.ms)
    else if (isSet) {
      clearOld(timer.handle)
      set(timer)
    }
    timer.isPending = isSet
    timer.order = ++sets
  }
  /** What a callback does depends only on its timer. So timers of one time can run in any order. */
  function run(timer) {
    timer.isPending = timer.kind === 'interval'
    const time = tool.now()
    if (wheel && isExact && tool.next && time === last.time) assert.ok(timer.order > last.order)
    last = { time, order: timer.order }
    log(timer.name)
    const own = randomOf(seed * 1000 + timer.name.length * 77 + timer.runs++)
    own(2)
    const choice = own(8)
    if (timer.kind === 'interval' && timer.runs > 4) end(timer)
    else if (tool.nests && timer.name.length < 10 && choice < 3)
      add(`${timer.name}.${timer.runs}`, names[own(names.length)], 1 + own(100))
    else if (choice === 3 && tool.refreshes && timer.kind === 'timeout' && timer.runs < 4) refresh(timer)
    // The next run of an interval is set after its callback.
    if (timer.kind === 'interval') timer.order = ++sets
  }
  /** The tool drops its timers. */
  function drop(how) {
    for (const timer of timers) {
      if (!timer.isPending) continue
      if (LASTING.includes(timer.kind)) end(timer)
      else {
        timer.isPending = false
        timer.isOver = true
      }
    }
    how()
  }

  const output = []
  begin()
  for (let step = 0; step < steps; step++) {
    const choice = random(20)
    timers.sort((a, b) => (a.name < b.name ? -1 : 1))
    const timer = timers[random(timers.length || 1)]
    const ms = random(10) === 0 ? 300 + random(20_000) : random(150)
    const kind = names[random(names.length)]
    if (choice < 8) add(`${step}`, kind, Math.max(ms, 1))
    else if (choice < 10 && timer) end(timer)
    else if (choice < 12 && timer && tool.refreshes) refresh(timer)
    else if (choice < 17) tool.advance(ms)
    else if (choice === 17 && isExact && tool.next && timers.some(({ isPending }) => isPending)) {
      tool.next()
      // The other timers of that time.
      tool.advance(0)
    } else if (choice === 18 && tool.clearAll) drop(() => tool.clearAll())
    else
      drop(() => {
        tool.real()
        begin()
      })
    const pending = timers.filter(({ isPending, kind }) => isPending && kind !== 'entry').length
    if (wheel && isExact) assert.equal(wheel.pending, pending + 1)
    output.push(`step ${step}: ${pending}`, ...lines.sort())
    lines = []
  }
  drop(() => tool.real())
  if (wheel && isExact) assert.deepEqual([wheel.pending, old.pending, wheel.stats().overruns], [1, true, 0])
  wheel?.stop()
  return output
}

/** @param seeds the number of programs */
exports.compareRandom = (ours, tool, seeds, first = Math.floor(Math.random() * 1e6)) => {
  for (let seed = first; seed < first + seeds; seed++) {
    const expected = play(seed, tool, KINDS_OF_TOOL)
    const wheel = new ours.TimerWheel()
    assert.deepEqual(play(seed, tool, kindsOf(ours, wheel), wheel), expected, `seed ${seed}`)
  }
}
