/**
 * What a program sees of its timers while a test tool fakes them. `timers()` are those under test at present: the globals, which the
 * tool replaces, or ours. Both must see the same. Tools lack some functions, which `tool` then lacks too. A wheel is one timer of the tool,
 * so no scenario has two timers of one time with microtasks between them, or counts timers.
 */
const { promisify } = require('node:util')

const scenarios = {
  async 'one big step'({ timers, tool, log }) {
    const chain = (n) => timers().setTimeout(() => n < 4 && chain(n + 1, log('chain', n)), 100)
    if (tool.nests) chain(1)
    const interval = timers().setInterval(() => log('interval'), 70)
    timers().setTimeout(() => log('once'), 250)
    timers().setTimeout(() => Promise.resolve().then(() => log('microtask')), 250)
    const same = timers().setTimeout(() => log('same'), 250)
    same.unref?.()
    tool.advance(1000)
    log('advanced')
    await null
    timers().clearInterval(interval)
  },
  'all timers'({ timers, tool, log }) {
    timers().setTimeout(() => timers().setTimeout(() => log(2), 60_000, log(1)), 1000)
    timers().clearTimeout(timers().setTimeout(() => log('cleared'), 5))
    tool.runAll?.()
  },
  'only pending timers'({ timers, tool, log }) {
    timers().setTimeout(() => log(1) || (tool.nests && timers().setTimeout(() => log('later'), 500)), 100)
    timers().clearTimeout(timers().setTimeout(() => log('cleared'), 40))
    log(tool.count?.())
    tool.runPending?.()
    log(tool.count?.())
    tool.advance(500)
    log(tool.count?.())
    const refreshed = timers().setTimeout(() => log('refreshed'), 100)
    tool.advance(50)
    if (tool.refreshes) refreshed.refresh()
    tool.advance(99)
    log('at 149')
    tool.runPending?.()
  },
  'the next timer'({ timers, tool, log }) {
    timers().clearTimeout(timers().setTimeout(() => log('cleared'), 5))
    for (const delay of [10, 20]) timers().setTimeout(() => log(delay), delay)
    tool.next?.()
    log('next')
    tool.next?.()
  },
  async promises({ timers, tool, log }) {
    const wait = async (n) => n < 3 && wait(n + 1, log('waits'), await timers().promises.setTimeout(100))
    wait(0)
    timers().setTimeout(async () => log('b', log('a'), await null), 300)
    timers().setTimeout(() => log('c'), 301)
    await tool.advanceAsync(500)
    log('done')
  },
  'timers that the tool drops'({ timers, tool, log }) {
    timers().setTimeout(() => log('dropped'), 100)
    tool.clearAll?.()
    tool.advance(50)
    timers().setTimeout(() => log('kept'), 40)
    tool.advance(40)
    log('at 90')
    tool.advance(500)
  },
  'timers of the test before'({ timers, tool, log }) {
    timers().setTimeout(() => log('of the test before'), 100)
    tool.advance(30)
    tool.real()
    tool.fake()
    timers().setTimeout(() => log('of this test'), 100)
    tool.advance(99)
    log('at 99')
    tool.advance(1000)
  },
  'an error'({ timers, tool, log }) {
    // `node:test` runs a timer that throws again and again.
    if (!tool.count) return
    // biome-ignore lint/correctness/noUndeclaredVariables: it throws because the name is not declared.
    timers().setTimeout(() => log(missing), 10)
    for (const delay of [10, 20]) timers().setTimeout(() => log(delay), delay)
    try {
      tool.advance(15)
    } catch (error) {
      log(error.message)
    }
    tool.advance(15)
  },
  'the time of day'({ timers, tool, log }) {
    timers().setTimeout(() => log('ran'), 1000)
    tool.setSystemTime?.(Date.now() + 86_400_000)
    tool.advance(999)
    log('at 999')
    tool.setSystemTime?.(5)
    tool.advance(1)
  },
}

async function logsOf(timers, tool) {
  const logs = {}
  for (const [name, scenario] of Object.entries(scenarios)) {
    logs[name] = []
    tool.fake()
    await scenario({ timers, tool, log: (...words) => logs[name].push(words.join(' ')) })
    tool.real()
  }
  return logs
}

const sleep = (ms) => new Promise((resolve) => globalThis.setTimeout(resolve, ms))

/** Throws if a program on the shared wheel or on a new one sees something else than one on the timers of the tool. */
exports.compare = async (equal, ours, tool) => {
  const wheel = new ours.TimerWheel()
  const faked = () => ({ ...globalThis, promises: { setTimeout: sleep }, ...timersOf(globalThis) })
  const expected = await logsOf(faked, tool)
  if (expected['one big step'].length < 10) throw new Error('the tool has moved nothing')
  const promises = { setTimeout: promisify(ours.setTimeout) }
  for (const timers of [
    { ...ours, promises },
    { ...timersOf(wheel), promises: wheel.promises },
  ])
    equal(await logsOf(() => timers, tool), expected)
}

const NAMES = ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval']
const timersOf = (from) => Object.fromEntries(NAMES.map((name) => [name, from[name].bind(from)]))

/** The functions of Jest and Vitest, which have the same names. */
exports.toolOf = (jest) => ({
  fake: () => jest.useFakeTimers(),
  real: () => jest.useRealTimers(),
  advance: (ms) => jest.advanceTimersByTime(ms),
  advanceAsync: (ms) => jest.advanceTimersByTimeAsync(ms),
  runAll: () => jest.runAllTimers(),
  runPending: () => jest.runOnlyPendingTimers(),
  next: () => jest.advanceTimersToNextTimer(),
  clearAll: () => jest.clearAllTimers(),
  count: () => jest.getTimerCount(),
  // The timers of jsdom are numbers.
  nests: true,
  refreshes: typeof document === 'undefined',
  setSystemTime: (time) => jest.setSystemTime(time),
})
exports.sinonTool = (FakeTimers, options, clock) => ({
  fake() {
    clock = FakeTimers.install(options)
  },
  real: () => clock.uninstall(),
  advance: (ms) => clock.tick(ms),
  advanceAsync: (ms) => clock.tickAsync(ms),
  runAll: () => clock.runAll(),
  runPending: () => clock.runToLast(),
  next: () => clock.next(),
  clearAll: () => clock.reset(),
  count: () => clock.countTimers(),
  nests: true,
  refreshes: true,
  setSystemTime: (time) => clock.setSystemTime(time),
})
exports.nodeTool = ({ timers }) => ({
  fake: () => timers.enable(),
  real: () => timers.reset(),
  advance: (ms) => timers.tick(ms),
  async advanceAsync(ms) {
    for (; ms > 0; ms--) {
      timers.tick(1)
      await new Promise(process.nextTick)
    }
  },
  runAll: () => timers.runAll(),
})
