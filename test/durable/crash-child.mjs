/**
 * node crash-child.mjs <store> <lease> <seconds> <log>: sets timers, runs them, and writes what it has done: `set <id> <due>` after the
 * promise was fulfilled, `start <id> <due> <time>`, `end <id>`. It writes each line at once into a file, so that a kill loses none.
 */
import { openSync, writeSync } from 'node:fs'
import { DurableTimers } from 'timeout-wheel/durable'

const [store, lease, seconds, path] = process.argv.slice(2)
const log = openSync(path, 'a')
const say = (...words) => writeSync(log, `${words.join(' ')}\n`)
const timers = await DurableTimers.open(store, {
  lease: Number(lease),
  onError: (error) => say('error', error.code),
})
timers.on('a', async ({ id, due }) => {
  say('start', id, due.getTime(), Date.now())
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  say('end', id)
})
say('opened')
const end = Date.now() + Number(seconds) * 1_000
while (Date.now() < end) {
  const delay = Math.random() * 1_500
  const { id, due } = await timers.set('a', { delay })
  say('set', id, due.getTime())
  await new Promise((resolve) => setTimeout(resolve, 2))
}
// Until nothing is left of this and of the other processes.
for (;;) {
  const { pending } = await timers.stats()
  if (pending === 0) break
  await new Promise((resolve) => setTimeout(resolve, 50))
}
await timers.close()
say('closed')
