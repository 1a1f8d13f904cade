import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { ask, nextMessage, startChild } from '../runner/processes.mjs'

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'burst',
  metrics: [
    { key: 'block', label: 'longest block of the loop', unit: 'ms', digits: 1 },
    { key: 'total', label: 'all run after', unit: 'ms' },
    { key: 'worst', label: 'worst answer', unit: 'ms', digits: 1 },
    { key: 'answers', label: 'answers', unit: '' },
  ],

  describe: ({ timers }) => ({
    title: `A burst: ${formatCount(timers)} due in the same millisecond`,
    note:
      'The same process runs an HTTP server. A client in another process sends one request after the other. Block: the ' +
      'longest time between two turns of the event loop, garbage collection included. All run after: from the time at ' +
      'which the timers were due to the last callback. Worst answer: the longest time that the client waited.',
  }),

  run(contenders, settings, progress) {
    const compared = contenders.filter(({ api }) => api !== 'handlesWithoutContext')
    const turns = { turns: settings.turns ?? 7, fewer: fewerTurns(settings) }
    return inTurn(compared, { name: 'burst', ...turns, progress }, ({ id }) => measure(id, settings.timers))
  },
}

/**
 * @param {string} contender
 * @param {number} count
 */
async function measure(contender, count) {
  const server = startChild('burst.mjs', [contender, count])
  try {
    const { port } = await nextMessage(server)
    const client = startChild('poll.mjs', [port])
    try {
      await nextMessage(client)
      const { block, total } = await ask(server, 'watch')
      const { worst, answers } = await ask(client, 'end')
      return { block, total, worst, answers }
    } finally {
      client.kill()
    }
  } finally {
    server.kill('SIGKILL')
  }
}
