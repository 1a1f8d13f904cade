import { UsageError } from '../runner/options.mjs'
import { summarize } from '../runner/statistics.mjs'

const OURS = 'ours'
/** No design, but measured beside them. */
export const LOOP = 'nothing'
const MILLION = 1_000_000

/** The designs, and the rules that they do not keep. `marks`: it only marks a cancelled timer. */
export const designs = {
  [OURS]: { title: 'timeout-wheel', marks: true },
  tokio: { title: '6 levels of 64 (tokio)' },
  netty: { title: 'hashed wheel (Netty)', marks: true },
  kafka: { title: 'levels of 20, delay queue (Kafka)' },
  'slot-heaps': { title: 'delay queue, heap per slot' },
  linux: { title: 'non-cascading (Linux 4.8)', isLate: true },
  'lazy-heap': { title: "lazy 4-ary heap (as Go's)", marks: true },
  [LOOP]: { title: 'the loop alone' },
}

const operations = ['insert', 'cancel', 'insert-cancel', 'reschedule', 'expire']
const kinds = ['all-30s', 'uniform', 'bimodal']
const counts = [1000, 10_000, 100_000, MILLION]

const byKind = ['all-30s', 'uniform']
const namesOf = (parts, delays, sizes) =>
  parts.flatMap((part) => delays.flatMap((kind) => sizes.map((count) => `${part}/${kind}/${count}`)))

/** The rows of the short form: names `part/delays/count`. The long form has all rows of the program. */
const short = [
  ...namesOf(operations, ['uniform'], counts),
  ...namesOf(operations, ['all-30s', 'bimodal'], [MILLION]),
  ...namesOf(['expire'], ['one-slot'], [1000, 10_000, 100_000]),
  ...namesOf(['empty-hour', 'next-expiry'], ['far'], counts),
  ...namesOf(['idle'], ['all-30s'], [100_000, MILLION]),
  ...namesOf(['service'], byKind, [100_000]),
  ...namesOf(['burst'], ['one-tick'], [350_000]),
  ...namesOf(['bytes'], ['uniform'], counts),
]
/** In the short form, the cost of this wheel alone grows to ten million timers. */
const alone = namesOf(operations, byKind, [10 * MILLION])

const program = 'build/bench-core/core_bench'

async function namesOfAll(outputOf) {
  const cells = (await outputOf(program, ['--benchmark_list_tests'])).trim().split('\n')
  return [...new Set(cells.map((cell) => cell.split('/').slice(0, 3).join('/')))]
}

/** Counters beside the cost, each of which is a row of its own. */
const further = ['longest', 'wakes', 'worst']

/** Runs one row in its own process. A figure is null if the design takes longer than the limit. */
async function measureRow(name, { turns, limit, designs: wanted }, outputOf) {
  const isMemory = name.startsWith('bytes')
  const options = [
    '--benchmark_format=json',
    `--benchmark_filter=^${name}/(${wanted})/`,
    // Memory is equal in each turn, and its measurement takes long.
    `--benchmark_repetitions=${isMemory ? 1 : turns}`,
    '--benchmark_enable_random_interleaving=true',
  ]
  const env = { TIMEOUT_WHEEL_BENCH_LIMIT: String(isMemory ? 6 * limit : limit) }
  const output = await outputOf(program, options, { env })
  // Google Benchmark writes NaN, which is not JSON, for the spread of figures that are all zero.
  const report = JSON.parse(output.replace(/: -?(nan|inf\w*)(?=[,\s}])/gi, ': null'))
  const runs = {}
  for (const run of report.benchmarks) {
    if (run.run_type !== 'iteration') continue
    if (run.error_occurred && run.error_message !== 'over the limit')
      throw new Error(`${run.name}: ${run.error_message}`)
    const design = run.name.split('/')[3]
    runs[design] = [...(runs[design] ?? []), run]
  }
  const cost = isMemory ? 'bytes' : 'ns'
  return [cost, ...further].flatMap((counter) => {
    const values = {}
    for (const [design, some] of Object.entries(runs)) {
      if (some.some((run) => run.error_occurred)) values[design] = null
      else if (some[0][counter] !== undefined) values[design] = summarize(some.map((run) => run[counter]))
    }
    if (!Object.values(values).some((value) => value !== null)) return []
    const id = counter === cost ? name : `${name} ${counter}`
    return [{ id, label: id, group: 'core', values }]
  })
}

export default {
  name: 'core',
  title: 'The core beside other designs of timers',
  note:
    'CPU time of the thread for an operation, in nanoseconds; bytes: memory per timer, live and at its worst; longest: the longest ' +
    'single advance; wakes: how often the driver woke within an empty hour. Each row runs in its own process, and the designs take ' +
    'turns in random order. A cell that takes too long is over the limit.',
  metrics: Object.entries(designs).map(([key, { title }]) => ({ key, label: title, unit: '', digits: 1 })),
  chart: 'none',
  onRequest: true,
  sources: ['native/core', ':!native/core/testing'],

  async run({ settings, progress, processes }) {
    const isFull = settings.form === 'full'
    // Loaded only here, because no other part needs a compiler.
    const { cmakeBuild } = await import('../../.tooling/cmake.mjs')
    await cmakeBuild('bench-core')
    const { outputOf } = processes
    const names = isFull ? await namesOfAll(outputOf) : [...short, ...alone]
    const rows = names.filter((name) => new RegExp(settings.rows ?? '^').test(name))
    if (rows.length === 0) throw new UsageError(`no row has a name that matches ${settings.rows}`)
    const { turns = 5, limit = isFull ? 60 : 2, designs = '[^/]+' } = settings
    const measured = []
    for (const [i, name] of rows.entries()) {
      progress.show(`${i + 1} of ${rows.length}: ${name}`)
      const wanted = !isFull && alone.includes(name) ? OURS : designs
      measured.push(...(await measureRow(name, { turns, limit, designs: wanted }, outputOf)))
    }
    return { rows: measured }
  },

  judge: (result) => judgeCore(result.rows),
}

const isRival = (name) => name !== OURS && name !== LOOP
const isExact = (name) => !designs[name]?.isLate

const ns = (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US'))

/** Verdicts on the figures that the core must reach at a million pending timers. */
function judgeCore(rows) {
  const median = (id, design = OURS) => rows.find((row) => row.id === id)?.values[design]?.median
  const verdict = (work, bar, figures, reached) => [
    { work, native: '-', ours: '-', ratio: '-', bar, ...figures, reached },
  ]

  const ahead = (id, times, among = isExact, kind = 'the best exact rival') => {
    const own = median(id)
    const row = rows.find((one) => one.id === id)
    const costs = Object.keys(row?.values ?? {})
      .filter((name) => isRival(name) && among(name) && row.values[name] !== null)
      .map((name) => ({ name, cost: median(id, name) }))
    if (own === undefined || costs.length === 0) return []
    const best = costs.reduce((a, b) => (b.cost < a.cost ? b : a))
    const ratio = best.cost / own
    const wanted = times >= 1 ? `at least ${times}x` : `at least 1/${1 / times}`
    const figures = { native: `${best.name} ${ns(best.cost)}`, ours: ns(own), ratio: `${ratio.toFixed(2)}x` }
    return verdict(`${id}, to ${kind}`, wanted, figures, ratio >= times)
  }
  const atMost = (work, value, limit) =>
    value === undefined ? [] : verdict(work, `at most ${ns(limit)}`, { ours: ns(value) }, value <= limit)
  const growth = (from, count, times) => {
    const [part, kind, before] = from.split('/')
    const to = `${part}/${kind}/${count}`
    if (median(from) === undefined || median(to) === undefined) return []
    return atMost(`${to}, as a multiple of ${before}`, median(to) / median(from), times)
  }
  const unlinks = (name) => !designs[name]?.marks
  const each = (part, ...bar) => kinds.flatMap((kind) => ahead(`${part}/${kind}/${MILLION}`, ...bar))

  return [
    ...each('expire', 4),
    ...each('insert-cancel', 2),
    ...each('reschedule', 2),
    ...byKind.flatMap((kind) => ahead(`service/${kind}/100000`, 2.5)),
    ...ahead(`idle/all-30s/${MILLION}`, 5),
    ...each('insert', 0.4),
    ...each('cancel', 5, unlinks, 'every rival that unlinks at once'),
    // As fast: a tenth more is within the spread.
    ...each('cancel', 1 / 1.1, (name) => !unlinks(name), 'those that only mark'),
    ...atMost('bytes per timer, live', median(`bytes/uniform/${MILLION}`), 13),
    ...atMost('bytes per timer, whatever is cancelled', median(`bytes/uniform/${MILLION} worst`), 26),
    ...namesOf(operations, byKind, [MILLION]).flatMap((name) => growth(name, 10 * MILLION, 4)),
    ...namesOf(['empty-hour', 'next-expiry'], ['far'], [1000]).flatMap((name) => growth(name, MILLION, 2)),
    ...byKind.flatMap((kind) =>
      atMost(`longest advance of the service, ${kind}, ns`, median(`service/${kind}/100000 longest`), 5e5),
    ),
  ]
}
