/**
 * `node stops.mjs <entry> <tick> <stops>`, on a clock that stops the process in these periods: prints which timers run early, late or out of
 * order, or say a wrong time. test/node/stopped.test.ts runs it.
 */
const [entry, tickText, stopsText] = process.argv.slice(2)
const tick = Number(tickText)
/** The start and the end of each stop, in milliseconds of the clock. */
const stops = JSON.parse(stopsText)
const { TimerWheel } = await import(entry)

const now = () => performance.now()
/** Milliseconds after which ticks wrap. */
const WRAP = 2 ** 32 * tick
/** What a timer may be late beyond its due time: the end of its tick, and the whole milliseconds of the event loop. */
const LATE = 2 * tick + 2
/** Times of decades have no finer digits, in milliseconds. */
const EARLY = 2 ** -10
/** The longest stop of a sleeping process after which all versions of libuv run their timers at once. */
const LONGEST_SLEEP = 2 ** 31 - 1
const faults = []
let count = 0

async function sleepUntil(time) {
  while (now() < time) {
    const ms = Math.min(Math.ceil(time - now()), 2 ** 30)
    await new Promise((resolve) => globalThis.setTimeout(resolve, ms))
  }
}

/** Each sets a timer of `ms` milliseconds that calls `note`, perhaps by an operation on a pending one. */
const KINDS = {
  handle: (wheel, ms, note) => wheel.setTimeout(note, { delay: ms }),
  refreshed: (wheel, ms, note) => wheel.setTimeout(note, { delay: ms }).refresh(),
  id: (wheel, ms, note) => void wheel.schedule(note, ms),
  rescheduled: (wheel, ms, note) => void wheel.reschedule(wheel.schedule(note, Math.min(ms, 1e6)), ms),
  member: (wheel, ms, note) => void wheel.group(note, ms).add(0),
  signal: (wheel, ms, note) => void wheel.signal(ms, { unref: false }).addEventListener('abort', note),
}

/** What the process does when it is stopped, and what in the same turn after that. */
const WAYS = ['sleeps', 'runs', 'sets timers and goes on', 'sets timers, and then a few']

/**
 * @param overdue whether timers become due during the stop
 * @param way one of `WAYS`
 */
async function round(name, [from, to], overdue, way) {
  const wheel = new TimerWheel({ tick })
  const ran = []
  const pending = new Set()
  /** Sets a timer, and a second one when it runs. @param least the due time from which lateness counts */
  const set = (kind, when, ms, least = to) => {
    const due = now() + ms
    const timer = { name: `${name}: ${kind} of ${ms} ms, set ${when}`, due, isFar: ms > WRAP / 8, when }
    pending.add(timer)
    timer.handle = KINDS[kind](wheel, ms, () => {
      const late = now() - Math.max(due, least)
      if (now() < due - EARLY) faults.push([timer.name, 'early', due - now()])
      if (late > LATE) faults.push([timer.name, 'late', late])
      pending.delete(timer)
      ran.push(timer)
      if (when === 'before') set(kind, 'by a callback', 1000)
    })
  }
  const setAll = (...parameters) => {
    for (const kind in KINDS) set(kind, ...parameters)
  }
  const stop = to - from
  const delays = [1, 1000, 0.1 * WRAP, 0.3 * WRAP].map(Math.round)
  for (const ms of delays) setAll('before', stop + ms)
  if (overdue) for (const part of [0.01, 0.3, 0.6, 0.9]) setAll('before', Math.round(2000 + stop * part))
  if (way === 'sleeps' && stop < LONGEST_SLEEP) {
    // This timer of Node's own is due during the stop. So it runs at its end, perhaps before the wheel is woken.
    await sleepUntil(from + 500)
  } else {
    await sleepUntil(from - 1)
    // Operations in masses share a reading of the clock. Their delays count from a later one, which is after the stop.
    if (way.startsWith('sets'))
      for (const ms of [...Array(10).fill(5000), ...delays]) setAll('in the turn', ms, to + ms)
    while (now() < to);
    // A far timer reads the clock for those that are set next. Without one, the driver ends the reading.
    if (way === 'sets timers, and then a few')
      for (const ms of overdue ? [5000] : [0.3 * WRAP, 5000])
        setAll('after, in the same turn', Math.round(ms))
    if (way !== 'sets timers and goes on') await sleepUntil(to + 1)
  }
  for (const ms of delays) setAll('after', ms)
  for (const { name, due, handle, when } of pending) {
    const error = handle === undefined || when === 'in the turn' ? 0 : handle.remaining - (due - now())
    if (Math.abs(error) > LATE) faults.push([name, 'says a wrong time', error])
  }
  for (let i = 0; i < 10; i++) setAll('after, in masses', 5000)
  await sleepUntil(now() + 1.5 * WRAP)
  for (const timer of pending) faults.push([timer.name, 'lost'])
  const ordered = ran.filter(({ when }) => when !== 'in the turn')
  ordered.slice(1).forEach((timer, i) => {
    // Far timers that have become due in the same 2^30 ticks run in another order.
    const margin = timer.isFar || ordered[i].isFar ? WRAP / 4 : LATE
    if (ordered[i].due > timer.due + margin) faults.push([ordered[i].name, 'before', timer.name])
  })
  count += ran.length
  wheel.stop()
}

/** Refreshes handles at three times, and the last one again after the stop. The times stay known while a handle is overdue. */
async function refreshes(name, [from, to]) {
  const wheel = new TimerWheel({ tick })
  const delay = Math.round((to - from) / 5)
  const handles = []
  for (const before of [150, 100, 50]) {
    await sleepUntil(from - before)
    const least = before === 50 ? to + delay : to
    const note = () => {
      const late = now() - least
      if (late > LATE) faults.push([`${name}: handle refreshed ${before} ms before`, 'late', late])
    }
    handles.push(wheel.setTimeout(note, delay).refresh())
  }
  await sleepUntil(from - 1)
  while (now() < to);
  handles[2].refresh()
  await sleepUntil(now() + 1.5 * WRAP)
  wheel.stop()
}

for (const [i, period] of stops.entries()) {
  const way = WAYS[i % WAYS.length]
  const name = `stop of ${((period[1] - period[0]) / WRAP).toFixed(2)} while it ${way}`
  await sleepUntil(period[0] - 1000)
  await Promise.all([round(name, period, i % (2 * WAYS.length) < WAYS.length, way), refreshes(name, period)])
}
console.log(JSON.stringify({ count, faults: faults.slice(0, 20), more: faults.length }))
