/**
 * node poll.mjs <port>: sends requests to a server, one after the other, until it gets a message. Sends a message after the first
 * answer, and the latencies at the end.
 */

import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** @returns {Promise<number>} milliseconds until the answer has arrived */
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
process.send?.('answered')
/** @type {number[]} */
const latencies = []
while (!ended) {
  latencies.push(await request())
  await sleep(1)
}
const sorted = Float64Array.from(latencies).sort()
process.send?.({ answers: sorted.length, worst: sorted[sorted.length - 1] })
agent.destroy()
process.disconnect?.()
