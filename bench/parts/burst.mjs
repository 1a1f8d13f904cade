import { Agent, createServer, get } from 'node:http'
import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { formatCount } from '../report/format.mjs'
import { atLeastTimes, atMost } from '../runner/bars.mjs'
import { collectGarbage } from '../runner/garbage.mjs'
import { ask as askParent, watchProgress } from '../runner/inside.mjs'

const barsOf = (api) => [
  atMost(12, `burst of a million: longest block, ${api}`, 'block', `addon-${api}`),
  atLeastTimes(1, `burst of a million: until all have run, ${api}`, 'total', `addon-${api}`),
]

export default {
  name: 'burst',
  title: ({ timers }) => `A burst: ${formatCount(timers)} due in the same millisecond`,
  note:
    'The same process runs an HTTP server. A client in another process sends one request after the other. Block: the longest time ' +
    'between two turns of the event loop, garbage collection included. All run after: from the time at which the timers were due to ' +
    'the last callback. Worst answer: the longest time that the client waited.',
  metrics: [
    { key: 'block', label: 'longest block of the loop', unit: 'ms', digits: 1 },
    { key: 'total', label: 'all run after', unit: 'ms' },
    { key: 'worst', label: 'worst answer', unit: 'ms', digits: 1 },
    { key: 'answers', label: 'answers', unit: '', isCost: false },
  ],
  bars: ['handles', 'numbers'].flatMap(barsOf),
  takes: ({ api }) => api !== 'handlesWithoutContext',
  turns: 7,
  fewer: true,

  async measure(_call, { timers }, { id }, { startChild, nextMessage, ask }) {
    const server = startChild('burst', 'serveBurst', id, { count: timers })
    try {
      const { port } = await nextMessage(server)
      const client = startChild('burst', 'poll', 'client', { port })
      try {
        await nextMessage(client)
        const { block, total } = await ask(server, 'watch')
        return { block, total, ...(await ask(client, 'end')) }
      } finally {
        client.kill()
      }
    } finally {
      server.kill('SIGKILL')
    }
  },
}

const batch = 1_000

/**
 * An HTTP server, and timers that are all due in the same millisecond. Sends its port. When all timers have run, sends how long
 * that took and how long the event loop was blocked.
 */
export async function serveBurst(timers, { count }) {
  const server = createServer((_request, response) => response.end('yes'))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  let left = count
  let last = 0
  const onTimeout = () => {
    if (--left === 0) last = performance.now()
  }

  // Long enough to set all timers.
  const due = Math.ceil(performance.now() + 1_500 + count / 400)
  for (let i = 0; i < count; i += batch) {
    const delay = Math.round(due - performance.now())
    for (let j = 0; j < batch; j++) timers.set(onTimeout, delay)
    await nextTurn()
  }
  collectGarbage()
  if (performance.now() > due - 200) throw new Error(`setting ${count} timers took too long`)

  // The client sends requests as soon as it has the port, and counts from then on.
  await askParent({ port: server.address().port })
  let longest = 0
  let before = performance.now()
  const watch = () => {
    const now = performance.now()
    if (now - before > longest) longest = now - before
    before = now
    if (left > 0) setImmediate(watch)
    else process.send({ block: longest, total: last - due })
  }
  watch()
  watchProgress(() => left)
}

/**
 * Sends requests to a server, one after the other, until it gets a message. Sends a message after the first answer, and returns the
 * longest latency and the number of answers at the end.
 */
export async function poll(_subject, { port }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const request = () =>
    new Promise((resolve, reject) => {
      const start = performance.now()
      get({ port, host: '127.0.0.1', agent }, (response) => {
        response.resume().on('end', () => resolve(performance.now() - start))
      }).on('error', reject)
    })

  let ended = false
  process.once('message', () => {
    ended = true
  })
  await request()
  process.send('answered')
  const latencies = []
  while (!ended) {
    latencies.push(await request())
    await sleep(1)
  }
  return { worst: Math.max(...latencies), answers: latencies.length }
}
