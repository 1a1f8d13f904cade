/**
 * node burst.mjs <contender> <timers>: an HTTP server, and timers that are all due in the same millisecond. Sends its port. When
 * all timers have run, sends how long that took and how long the event loop was blocked.
 */

import { createServer } from 'node:http'
import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { loadContender } from '../contenders/index.mjs'
import { collectGarbage } from '../runner/garbage.mjs'
import { ask, watchProgress } from './message.mjs'

const [, , contender, countText] = process.argv
const count = Number(countText)
const batch = 1_000
/** Milliseconds. It is long enough to set all timers. */
const ahead = 1_500 + count / 400

const timers = await loadContender(contender)
const server = createServer((_request, response) => response.end('yes'))
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = /** @type {import('node:net').AddressInfo} */ (server.address())

let left = count
let first = 0
let last = 0
const onTimeout = () => {
  if (left === count) first = performance.now()
  if (--left === 0) last = performance.now()
}

const due = Math.ceil(performance.now() + ahead)
for (let i = 0; i < count; i += batch) {
  const delay = Math.round(due - performance.now())
  for (let j = 0; j < batch; j++) timers.set(onTimeout, delay)
  await nextTurn()
}
collectGarbage()
if (performance.now() > due - 200) throw new Error(`setting ${count} timers took too long`)

// The client sends requests as soon as it has the port, and counts from then on.
await ask({ port: address.port })
let longest = 0
let before = performance.now()
const watch = () => {
  const now = performance.now()
  if (now - before > longest) longest = now - before
  before = now
  if (left > 0) setImmediate(watch)
  else process.send?.({ block: longest, total: last - due, first: first - due })
}
watch()
watchProgress(() => left)
process.on('disconnect', () => process.exit())
