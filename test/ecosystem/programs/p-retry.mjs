/** Retries with growing pauses. */
import pRetry, { AbortError } from 'p-retry'

const options = {
  minTimeout: 20,
  factor: 3,
  onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
    console.log(error.message, attemptNumber, retriesLeft),
}
const began = performance.now()
const result = await pRetry((attempt) => {
  if (attempt < 4) throw new Error(`failure ${attempt}`)
  return 'success'
}, options)
// 20 + 60 + 180 ms; Node may be one millisecond early each time.
const took = performance.now() - began
console.log(result, took >= 257 && took < 600)

await pRetry(() => Promise.reject(new AbortError('no more')), options).catch(({ message }) =>
  console.log(message),
)
await pRetry(() => Promise.reject(new Error('always')), { ...options, retries: 2 }).catch(({ message }) =>
  console.log('given up:', message),
)
const controller = new AbortController()
setTimeout(() => controller.abort(new Error('aborted')), 30)
await pRetry(() => Promise.reject(new Error('once')), {
  ...options,
  minTimeout: 60_000,
  signal: controller.signal,
}).catch(({ message }) => console.log(message))
