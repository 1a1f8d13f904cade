import { setTimeout as sleep } from 'node:timers/promises'
import { LABELS, partOf, row, SECOND } from '../durable/part.mjs'
import { atMost } from '../runner/bars.mjs'

export default partOf({
  name: 'durable-burst',
  title: 'Durable timers: a burst',
  note:
    '50,000 jobs that are due within one second, which were set before. "done": from the first due time to the last start. "block": the ' +
    'longest time in which the event loop did nothing else.',
  metrics: [
    { key: 'done', label: 'done', unit: 'ms' },
    { key: 'block', label: 'block', unit: 'ms', digits: 1 },
    { key: 'p99', label: 'late, p99', unit: 'ms' },
  ],
  subjects: [row('sqlite'), row('postgres'), row('pg-boss')],
  bars: ['sqlite', 'postgres'].flatMap((store) => [
    atMost(2_000, `${LABELS[store]}: all started`, 'done', store, 'pg-boss'),
    atMost(20, `${LABELS[store]}: longest block`, 'block', store, 'pg-boss'),
  ]),
  turns: 5,
  async measure(launch, _subject, { timers }) {
    const count = Math.min(timers, 50_000)
    const from = 20 * SECOND
    const { call } = await launch()
    await call('handle')
    const dueFrom = Date.now()
    const took = await call('fill', { count, from, to: from + SECOND })
    if (took > from - 3 * SECOND) throw new Error(`to set them took ${Math.round(took)} ms`)
    await sleep(from - took - 2 * SECOND)
    await call('watchBlocks')
    const { last, block, p99 } = await call('untilRan', { count })
    return { done: last - (dueFrom + from), block, p99 }
  },
})
