import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR, LABELS, partOf, row, SECOND } from '../durable/part.mjs'
import { atLeastTimes, atMost } from '../runner/bars.mjs'

export default partOf({
  name: 'durable-scale',
  title: 'Durable timers: many that are pending',
  note:
    'Beside 10,000 pending timers, and beside 1,000,000 (SQLite: 10,000,000), 20,000 are set for later with keys in order and at random, and 20,000 ' +
    'that are due are claimed, run and acknowledged. "claim": of PostgreSQL, the median call of the function that claims, when nothing is due.',
  metrics: [
    { key: 'set', label: 'set', unit: 'µs', digits: 1 },
    { key: 'random', label: 'set at random', unit: 'µs', digits: 1 },
    { key: 'ran', label: 'claimed and run', unit: 'µs', digits: 1 },
    { key: 'claim', label: 'claim', unit: 'ms', digits: 2 },
    { key: 'memory', label: 'memory', unit: 'MiB' },
  ],
  subjects: ['sqlite', 'postgres'].flatMap((store) =>
    ['few', 'many'].map((way) => row(store, { way, against: `${store}-few` })),
  ),
  bars: [
    ...['sqlite', 'postgres'].flatMap((store) =>
      ['set', 'random', 'ran'].map((metric) => {
        const least = store === 'sqlite' && metric === 'random' ? 1 / 8 : 1 / 2
        return atLeastTimes(least, `${LABELS[store]}: ${metric}`, metric, `${store}-many`, `${store}-few`)
      }),
    ),
    atMost(200, 'SQLite: memory', 'memory', 'sqlite-many', 'sqlite-few'),
    atMost(2, 'PostgreSQL: empty claim', 'claim', 'postgres-many', 'postgres-few'),
  ],
  turns: 1,
  async measure(launch, { subject, way }, { timers }) {
    const many = subject === 'sqlite' ? 10 * timers : timers
    const count = 20_000
    const setter = await launch()
    await setter.call('fill', { count: way === 'many' ? many : 10_000, from: 24 * HOUR, to: 1_000 * HOUR })
    const each = (ms) => (ms / count) * 1_000
    const more = { count, from: HOUR, to: 2 * HOUR }
    const set = await setter.call('fill', { ...more, first: 1e8 })
    const random = await setter.call('fill', { ...more, first: 2e8, isRandom: true })
    await setter.call('fill', { count, from: 0, first: 3e8 })
    const runner = await launch()
    const start = performance.now()
    await runner.call('handle')
    const { memory } = await runner.call('untilRan', { count })
    await runner.call('close')
    const ran = each(performance.now() - start)
    const watcher = await launch(subject === 'postgres' ? { times: true } : {})
    await watcher.call('handle')
    await sleep(2 * SECOND)
    const claim = await watcher.call('claimTime', { seconds: 15 })
    return { set: each(set), random: each(random), ran, claim, memory }
  },
})
