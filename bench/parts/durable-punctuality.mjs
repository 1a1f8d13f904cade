import { LABELS, partOf, RIVALS, row } from '../durable/part.mjs'
import { atLeastTimes, atMost } from '../runner/bars.mjs'

export default partOf({
  name: 'durable-punctuality',
  title: 'Durable timers: how late they start',
  note:
    'Each job is set by a call of its own, for a random moment within the next three seconds, and the process that sets it runs it. Packages ' +
    'that look for jobs at intervals look as often as they allow, at most twice a second. "woken": a timer of this package calls notifyWorker ' +
    'at the due time, as docs/integrations.md shows.',
  metrics: [
    { key: 'p99', label: 'p99', unit: 'ms' },
    { key: 'p50', label: 'p50', unit: 'ms' },
    { key: 'least', label: 'least', unit: 'ms' },
  ],
  // At 2,000 a second, the last two fall behind for minutes.
  subjects: [500, 2_000].flatMap((rate) => {
    const beside = { rate, against: `pg-boss-${rate}/s` }
    const rivals = rate === 500 ? RIVALS : RIVALS.slice(0, 2)
    const woken = { ...beside, way: `${rate}/s, woken`, options: { notify: true } }
    return [
      ...['sqlite', 'postgres', ...rivals].map((store) => row(store, { ...beside, way: `${rate}/s` })),
      ...(rate === 500 ? [row('pg-boss', woken)] : []),
    ]
  }),
  bars: ['sqlite', 'postgres'].flatMap((store) =>
    [500, 2_000].flatMap((rate) => {
      const work = `${LABELS[store]}, ${rate}/s`
      const rows = [`${store}-${rate}/s`, `pg-boss-${rate}/s`]
      return [
        atMost(2, `${work}, p50`, 'p50', ...rows),
        atMost(15, `${work}, p99`, 'p99', ...rows),
        atLeastTimes(30, `${work}, beside pg-boss`, 'p50', ...rows),
      ]
    }),
  ),
  turns: 3,
  async measure(launch, { rate, options }, { seconds }) {
    const { call } = await launch(options)
    await call('handle')
    await call('trickle', { rate, seconds })
    const { p50, p99, least } = await call('untilRan', { count: rate * seconds })
    return { p99, p50, least }
  },
})
