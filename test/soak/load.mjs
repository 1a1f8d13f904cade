/**
 * A load on all that the package has, on Node and in pages. It checks each run: not early, and not twice; and it looks for timers that
 * never run. Some thousand timers are pending, for up to half a minute each.
 */
const PENDING = 20_000
/** Operations in each round of the load, and milliseconds between rounds. */
const OPERATIONS = 60
const ROUND = 20
/** A timer that is still pending after so many rounds in which it was due is lost: five seconds in which the event loop was free. */
const PATIENCE = 250
/** Rounds between two looks for such timers. */
const LOOK = 50
const BURST = 20_000
const GROUP = 4_000

// Taken before the package can replace them.
const { setInterval: hostInterval, clearInterval: clearHostInterval } = globalThis
const now = () => performance.now()

/**
 * Each kind of timer: how to set and end it, and how to start it again if that is possible. `run(missed)` is its callback.
 * @returns {Record<string, [set: Function, end: Function, again?: Function]>}
 */
function kindsOf({ TimeoutMap, TimerWheel, clearTimeout, ...ours }) {
  const wheel = new TimerWheel()
  const fine = new TimerWheel({ tick: 0.5 })
  const group = ours.timerGroup((run) => run(), GROUP)
  const map = new TimeoutMap({ onExpire: (run) => run() })
  const refresh = (handle, ms) => handle.refresh(ms)
  const expected = new Error('expected')
  /** Ends by a signal. `start(ms, signal)` returns a promise. */
  const abortable = (start) => [
    (run, ms) => {
      const controller = new AbortController()
      start(ms, controller.signal).then(
        () => run(),
        () => {},
      )
      return controller
    },
    (controller) => controller.abort(),
  ]
  return {
    handle: [(run, ms) => ours.setTimeout(run, ms), clearTimeout, refresh],
    'handle of a wheel': [
      (run, ms) => fine.setTimeout(run, ms),
      (handle) => fine.clearTimeout(handle),
      refresh,
    ],
    'long handle': [(run, ms) => ours.setLongTimeout(run, ms), clearTimeout],
    interval: [(run, ms) => ours.setInterval(run, ms), clearTimeout],
    'steady interval': [
      (run, delay) => fine.setInterval(run, { delay, drift: false }),
      (handle) => fine.clearInterval(handle),
    ],
    id: [
      (run, ms) => wheel.schedule(run, ms),
      (id) => wheel.cancel(id),
      (id, ms) => wheel.reschedule(id, ms),
    ],
    member: [(run) => group.add(run), (member) => group.delete(member), (member) => group.touch(member)],
    entry: [(run, ms) => map.set(run, run, ms) && run, (key) => map.delete(key), (key) => map.touch(key)],
    signal: [
      (run, ms) => {
        const signal = ours.timeoutSignal(ms)
        signal.addEventListener('abort', () => run())
        return signal
      },
      (signal) => signal.clear(),
      refresh,
    ],
    promise: abortable((ms, signal) => wheel.promises.setTimeout(ms, undefined, { signal })),
    'promise with a timeout': abortable((ms, signal) => {
      const work = new Promise((resolve) => signal.addEventListener('abort', resolve))
      return new Promise((resolve) => ours.withTimeout(work, ms).catch(resolve))
    }),
    'callback that throws': [
      (run, ms) =>
        fine.setTimeout(() => {
          run()
          throw expected
        }, ms),
      (handle) => fine.clearTimeout(handle),
    ],
  }
}

const CONNECTION = { kind: 'idle connection', ms: 'some' }
const REPEATS = ['interval', 'steady interval']
/** Those whose delay is the same for all, or the same again when they start again. */
const KEEP = { member: () => GROUP, entry: ({ ms }) => ms }

/** Starts the load. `stop()` ends it, and resolves when nothing is pending. */
export function startLoad(ours) {
  const kinds = kindsOf(ours)
  const names = Object.keys(kinds)
  const pending = new Set()
  const list = []
  const counts = { set: 0, again: 0, ended: 0, ran: 0, thrown: 0, caught: 0, early: 0, twice: 0, lost: 0 }
  let latest = 0
  const faults = []
  let rounds = 0
  let open = 0
  let nextBurst = 500
  const report = (what, timer, more) => {
    counts[what]++
    if (faults.length < 20) faults.push(`${what}: ${timer.kind} of ${timer.ms} ms ${more}`)
  }
  /** Short delays are more frequent than long ones. */
  const anyDelay = () => Math.ceil(2 ** (Math.random() * 15))

  function set(kind, ms) {
    const timer = {
      kind,
      ms: KEEP[kind]?.({ ms }) ?? ms,
      due: 0,
      isOver: false,
      seen: 0,
      place: list.length,
      own: undefined,
    }
    start(timer)
    timer.own = kinds[kind][0]((missed = 0) => ran(timer, missed), timer.ms)
    pending.add(timer)
    list.push(timer)
    counts.set++
  }
  function start(timer) {
    timer.earliest = now() + timer.ms
    timer.due = timer.earliest
  }
  /** Takes a timer out of the lists. */
  function drop(timer) {
    timer.isOver = true
    pending.delete(timer)
    const last = list.pop()
    if (last === timer) return
    list[timer.place] = last
    last.place = timer.place
  }
  function ran(timer, missed) {
    const time = now()
    if (timer.isOver) return report('twice', timer, `${time - timer.due} ms after it was due`)
    if (time < timer.earliest) report('early', timer, `by ${timer.earliest - time} ms`)
    latest = Math.max(latest, time - timer.due)
    counts.ran++
    if (timer.kind === 'callback that throws') counts.thrown++
    timer.seen = 0
    const repeats = REPEATS.includes(timer.kind)
    if (!repeats || Math.random() < 0.2) return end(timer, repeats)
    // A period counts from a reading of the clock before the callback.
    timer.earliest += (missed + 1) * timer.ms
    timer.due = time + timer.ms
  }
  function end(timer, isPending = true) {
    if (isPending) kinds[timer.kind][1](timer.own)
    drop(timer)
  }
  function change(timer) {
    const isEntry = timer.kind === 'entry'
    const [, stop, again] = kinds[timer.kind]
    if (again === undefined || Math.random() < 0.5) {
      // An entry that has expired runs its callback all the same.
      if (stop(timer.own) === false && isEntry) return
      counts.ended++
      return drop(timer)
    }
    const { due, earliest } = timer
    timer.ms = KEEP[timer.kind]?.(timer) ?? anyDelay()
    start(timer)
    if (again(timer.own, timer.ms) === false) {
      if (!isEntry || due > now()) report('lost', timer, 'is not known any more')
      return Object.assign(timer, { due, earliest })
    }
    timer.seen = 0
    counts.again++
  }
  function round() {
    rounds++
    for (let i = 0; i < OPERATIONS; i++) {
      const kind = names[Math.floor(Math.random() * names.length)]
      if (list.length < PENDING) set(kind, anyDelay())
      if (list.length >= PENDING || Math.random() < 0.4) change(list[Math.floor(Math.random() * list.length)])
    }
    if (rounds === nextBurst) {
      nextBurst += 2_000 + Math.floor(Math.random() * 2_000)
      for (let i = 0; i < BURST; i++) set('id', 300)
    }
    if (rounds % LOOK === 0) look()
  }
  /** Counts the rounds in which a timer is due. */
  function look() {
    const time = now()
    for (const timer of pending) {
      timer.seen = timer.due > time ? 0 : timer.seen + LOOK
      if (timer.seen > PATIENCE) {
        report('lost', timer, `is pending ${time - timer.due} ms after it was due`)
        end(timer)
      }
    }
  }
  const beat = hostInterval(round, ROUND)

  return {
    counts,
    caught: () => counts.caught++,
    /** An idle connection was opened, or closed `late` ms after its time. */
    opened: () => open++,
    closed(late) {
      open--
      if (late < 0) report('early', CONNECTION, `by ${-late} ms`)
    },
    report: () => ({ counts: { ...counts }, latest, pending: list.length, open, faults: faults.splice(0) }),
    /** Blocks the event loop. */
    block(ms) {
      for (const end = now() + ms; now() < end; );
    },
    async stop() {
      clearHostInterval(beat)
      for (const timer of [...pending]) if (REPEATS.includes(timer.kind)) end(timer)
      await new Promise((resolve) => {
        const wait = hostInterval(() => {
          rounds += 5
          if (rounds % LOOK < 5) look()
          if (pending.size > 0) return
          clearHostInterval(wait)
          resolve()
        }, 5 * ROUND)
      })
    },
  }
}
