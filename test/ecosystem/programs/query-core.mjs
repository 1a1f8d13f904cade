/** Queries that are fetched again at intervals, retried, and dropped from the cache without an observer. */
import { environmentManager, QueryClient, QueryObserver, timeoutManager } from '@tanstack/query-core'
import { timers } from './hook.mjs'

// On a server, query-core does not poll and drops nothing.
environmentManager.setIsServer(() => false)
if (timers !== undefined) timeoutManager.setTimeoutProvider(timers)
const client = new QueryClient()
client.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'removed') console.log('removed', query.queryKey.join())
})
client.mount()

let fetches = 0
const observer = new QueryObserver(client, {
  queryKey: ['polled'],
  queryFn: () => ++fetches,
  refetchInterval: 40,
  gcTime: 150,
})
await new Promise((resolve) => {
  const stop = observer.subscribe(({ data }) => {
    if (data !== 4) return
    stop()
    resolve()
  })
})
console.log('fetched', fetches)

let failures = 0
const result = await client.fetchQuery({
  queryKey: ['retried'],
  queryFn: () => (++failures < 3 ? Promise.reject(new Error('no')) : 'at last'),
  retry: 5,
  retryDelay: 20,
  gcTime: 300,
})
console.log(result, failures)
setTimeout(() => console.log('fetched', fetches), 600)
