/** node load.mjs <port> <connections> <seconds>: loads the service with autocannon, and sends requests and latencies. */

import autocannon from 'autocannon'
import { quantile } from '../runner/statistics.mjs'

const [, , port, connections, seconds] = process.argv

// The histogram of autocannon has whole milliseconds only.
/** @type {number[]} */
const latencies = []

/** @type {import('autocannon').Result} */
const result = await new Promise((resolve, reject) => {
  const options = {
    url: `http://127.0.0.1:${port}`,
    connections: Number(connections),
    duration: Number(seconds),
  }
  const run = autocannon(options, (error, finished) => (error ? reject(error) : resolve(finished)))
  run.on('response', (_client, _status, _bytes, latency) => latencies.push(latency))
})
const sorted = Float64Array.from(latencies).sort()
process.send?.({
  requests: result['2xx'],
  failures: result.non2xx + result.errors + result.timeouts,
  seconds: result.duration,
  latency50: quantile(sorted, 0.5),
  latency99: quantile(sorted, 0.99),
})
process.disconnect?.()
