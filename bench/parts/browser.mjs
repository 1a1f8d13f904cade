/** The timers of pages, in each engine. The loops are in browser/page. */
import { mainThreadTime, privateMemory } from '../browser/processes.mjs'
import { formatCount } from '../report/format.mjs'
import { atLeastTimes, atMost } from '../runner/bars.mjs'
import { measureBySize, splitBySize } from '../runner/by-size.mjs'
import { nanosecondsEach } from '../runner/statistics.mjs'
import { EVERYDAY, MASS, SINGLE, works } from './turns.mjs'

export const ENGINES = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKitGTK' }
/** The engines that must reach the figures. Those of other engines are only shown. */
const PROMISED = ['chromium', 'firefox']
const LABELS = {
  native: 'native setTimeout',
  handles: 'wheel, setTimeout',
  numbers: 'wheel, schedule',
  worker: "wheel, driver 'worker'",
}
const SOURCES =
  'lib/page lib/memory lib/common lib/kernel lib/map lib/wheel lib/entry/browser.ts lib/entry/browser-host.ts lib/entry/shared-wheel.ts native/core wasm .tooling/pages.mjs :!native/core/testing'

const labelOf = (engine, name) => `${ENGINES[engine]}: ${LABELS[name]}`

const subjectsOf = (engine, names) =>
  names.map((name) => ({
    id: `${engine}-window-${name}`,
    label: labelOf(engine, name),
    group: name === 'native' ? 'native' : 'wasm',
    against: `${engine}-window-native`,
    name,
  }))

/** A bar for each row of this package in the engines that must reach it. */
const barsOf = (make, value, work, metric, more) =>
  PROMISED.flatMap((engine) =>
    ['handles', 'numbers'].map((name) => {
      const [row, base] = [name, 'native'].map((one) => `${engine}-window-${one}`)
      return { ...make(value, `${labelOf(engine, name)}: ${work}`, metric, row, base), ...more }
    }),
  )

/** `measure(name, stage, more)` takes a sample. `more` has `timers`, what `prepare` returned, and `open`, which opens another stage. */
const partOf = ({ names = ['native', 'handles', 'numbers'], hidden, prepare, measure, ...part }) => ({
  ...part,
  name: `browser-${part.name}`,
  file: 'browser',
  timers: 100_000,
  onRequest: true,
  sources: SOURCES.split(' '),

  async run({ settings, progress, inTurn }) {
    const engines = settings.engine?.split(',') ?? Object.keys(ENGINES)
    // Loaded only here, because they load the drivers of the browsers.
    const { setUp } = await import('../../.tooling/setup.mjs')
    const { openStage } = await import('../browser/stage.mjs')
    await setUp(engines)
    const rows = []
    const versions = []
    for (const engine of engines) {
      progress.show(`${engine}: starting`)
      const open = () => openStage(engine, hidden)
      const stage = await open()
      try {
        versions.push(stage.version)
        const more = { timers: settings.timers, open, ...(await prepare?.(stage)) }
        const turns = settings.turns ?? part.turns
        const options = { ...part, name: `${engine}: ${part.name}`, turns, progress }
        const subjects = subjectsOf(engine, names)
        const own = await inTurn(subjects, options, ({ name }) => measure(name, stage, more))
        rows.push(...(part.split?.(own) ?? own))
      } finally {
        await stage.close()
      }
    }
    return { rows, about: { browsers: versions.join(', ') } }
  },
})

/** Operations in a task, and how many tasks a sample has of them. */
export const TASKS = new Map([
  [SINGLE, 3_000],
  [EVERYDAY, 2_000],
  [MASS, 100],
])
const perTask = { delay: 30_000, pending: 1_000 }
const kinds = ['setClear', 'refresh']

const turns = partOf({
  name: 'turns',
  title: 'In pages: by the number of operations in a task',
  note:
    `The time that each operation adds to its task. ${formatCount(perTask.pending)} timers of 30 s are pending meanwhile. Each task sets ` +
    'and clears other timers of that delay one after the other, or refreshes the pending ones in their order. Native timers of a page ' +
    'have no refresh, so they are cleared and set again. Numbers are rescheduled. Tasks without operations and without pending timers ' +
    'are subtracted, the same for all contenders. A message starts each task. No callback of a timer runs.',
  metrics: kinds.map((key) => ({ key, label: works[key], unit: 'ns', digits: 1 })),
  turns: 11,
  warmUp: true,
  measure: (name, stage) =>
    measureBySize(kinds, [...TASKS.keys()], async (work, size) => {
      const options = { ...perTask, work, size, tasks: TASKS.get(size) }
      return (await stage.run(name, 'addToTasks', options)) * 1e6
    }),
  split: (rows) => splitBySize(rows, kinds, [...TASKS.keys()]),
})

const operations = { count: 200_000, batch: 10_000, delay: 30_000 }

const setClear = partOf({
  name: 'set-clear',
  title: 'In pages: set and clear',
  note:
    'A timer of 30 s is set and cleared. At once: it is cleared before the next is set. In flight: each task sets 10,000 and clears ' +
    'the 10,000 of the task before. 200,000 timers. The messages that start the tasks are part of the time. No callback runs.',
  metrics: [
    { key: 'atOnce', label: 'cleared at once', unit: 'ns', digits: 1 },
    { key: 'later', label: '10,000 in flight', unit: 'ns', digits: 1 },
  ],
  bars: [
    ...barsOf(atLeastTimes, 5, 'set and clear at once', 'atOnce'),
    ...barsOf(atLeastTimes, 5, 'set and clear, 10,000 in flight', 'later'),
  ],
  turns: 11,
  warmUp: true,
  measure: async (name, stage) => ({
    atOnce: nanosecondsEach(await stage.run(name, 'setAndClearAtOnce', operations), operations),
    later: nanosecondsEach(await stage.run(name, 'setAndClearLater', operations), operations),
  }),
})

const refresh = partOf({
  name: 'refresh',
  title: ({ timers }) => `In pages: refresh at random over ${formatCount(timers)} pending`,
  note: ({ timers }) =>
    `${formatCount(timers)} timers of 60 s are pending. Each is refreshed once, in random order, 10,000 in a task. Setting them is not ` +
    'timed. Native timers of a page have no refresh, so they are cleared and set again. Handles are refreshed, numbers are ' +
    'rescheduled.',
  metrics: [{ key: 'refresh', label: 'refresh', unit: 'ns', digits: 1 }],
  bars: barsOf(atLeastTimes, 5, 'refresh', 'refresh'),
  turns: 9,
  warmUp: true,
  async measure(name, stage, { timers }) {
    const options = { count: timers, batch: 10_000, delay: 60_000 }
    return { refresh: nanosecondsEach(await stage.run(name, 'refreshAll', options), options) }
  },
})

const hold = partOf({
  name: 'hold',
  title: ({ timers }) => `In pages: memory per pending timer, ${formatCount(timers)} pending`,
  note: ({ timers }) =>
    `How much the private resident memory of the page's process grows when ${formatCount(timers)} timers of 60 s are set, with the ` +
    'wheel and its WebAssembly. The timers share one callback, and the page keeps no handles. Each contender and turn has a new ' +
    'browser. The process is measured because native timers lie outside the JavaScript heap. Garbage is collected before each ' +
    'reading in Chromium and Firefox; WebKitGTK has no command for it.',
  metrics: [{ key: 'bytes', label: 'process', unit: 'bytes' }],
  bars: barsOf(atLeastTimes, 3, 'memory', 'bytes'),
  turns: 7,
  async measure(name, _stage, { timers, open }) {
    const stage = await open()
    try {
      const pid = await stage.findProcess()
      await stage.run(name, 'collectGarbage')
      const before = privateMemory(pid)
      await stage.run(name, 'hold', { count: timers, batch: 10_000, delay: 60_000 })
      await stage.run(name, 'collectGarbage')
      return { bytes: (privateMemory(pid) - before) / timers }
    } finally {
      await stage.close()
    }
  },
})

const FIRED = 150_000

const fire = partOf({
  name: 'fire',
  title: `In pages: firing ${formatCount(FIRED)} timers`,
  note:
    "The timers are due at random times within 3 s. Main thread: the CPU time of the main thread of the page's process, by the count " +
    'of the kernel, from the time when all timers are set until the last has run. Each callback reads the clock. Early: a timer that ' +
    'ran before its time by more than a step of the clock.',
  metrics: [
    { key: 'thread', label: 'main thread per timer', unit: 'ns' },
    { key: 'early', label: 'early', unit: '', isCost: false },
    { key: 'middle', label: 'late p50', unit: 'ms', digits: 2 },
  ],
  // Of a million timers: in fewer turns too few of them fire.
  bars: barsOf(atMost, 0, 'timers that ran early', 'early', { of: 'max', leastTurns: 7 }),
  turns: 7,
  prepare: async (stage) => ({
    pid: await stage.findProcess(),
    resolution: await stage.run('native', 'clockResolution'),
  }),
  async measure(name, stage, { pid, resolution }) {
    await stage.run(name, 'setToFire', { count: FIRED, batch: 10_000, ahead: 3_000, span: 3_000 })
    const before = mainThreadTime(pid)
    const seen = await stage.run(name, 'whenFired', { resolution })
    return { thread: ((mainThreadTime(pid) - before) * 1e6) / FIRED, ...seen }
  },
})

const burst = partOf({
  name: 'burst',
  title: ({ timers }) => `In pages: a burst of ${formatCount(timers)} due timers`,
  note: ({ timers }) =>
    `A page is busy while ${formatCount(timers)} timers of 2 s become due, and then runs them. The page sends itself one message after ` +
    'the other. Longest task: the longest time between two of these messages, so that several tasks count as one if no other task ' +
    'can run between them.',
  metrics: [
    { key: 'longest', label: 'longest task', unit: 'ms', digits: 1 },
    { key: 'total', label: 'until all have run', unit: 'ms', digits: 1 },
  ],
  // A frame at 60 frames a second.
  bars: barsOf(atMost, 16, 'longest task in a burst', 'longest'),
  turns: 9,
  measure: (name, stage, { timers }) =>
    stage.run(name, 'burst', { count: timers, batch: 10_000, delay: 2_000 }),
})

const hidden = partOf({
  name: 'hidden',
  title: 'In pages: lateness in a hidden tab',
  note:
    '50 timers are due, one every 40 ms, in a hidden tab. There Chromium and Firefox run timers about once a second. WebKit delays ' +
    'only nested timers, and these are not nested. "wheel, setTimeout" is woken by a timer of the page, driver \'worker\' by a timer ' +
    'of a worker, which no browser delays.',
  metrics: [
    { key: 'middle', label: 'late p50', unit: 'ms', digits: 1 },
    { key: 'latest', label: 'latest', unit: 'ms', digits: 1 },
  ],
  names: ['native', 'handles', 'worker'],
  hidden: true,
  turns: 7,
  warmUp: true,
  async measure(name, stage) {
    const { state, middle, latest } = await stage.run(name, 'lateness', { count: 50, every: 40 })
    if (state !== 'hidden') throw new Error(`the page is ${state}`)
    return { middle, latest }
  },
})

export const browserParts = [turns, setClear, refresh, hold, fire, burst, hidden]
