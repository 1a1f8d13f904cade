/** A cache with a timer for each entry, which removes it. */
import { LRUCache } from 'lru-cache'

// lru-cache treats the time 0 as "no time". A program with virtual time starts at 0.
await new Promise((resolve) => setTimeout(resolve, 10))
const cache = new LRUCache({
  ttl: 60,
  ttlAutopurge: true,
  max: 100,
  noDisposeOnSet: true,
  dispose: (_value, key, reason) => console.log(reason, key),
})
cache.set('b', 2, { ttl: 120 })
cache.set('a', 1)
cache.set('prolonged', 3)
cache.set('gone', 4)
cache.delete('gone')
// Its timers do not keep the process alive.
setTimeout(() => {
  cache.set('prolonged', 3, { ttl: 150 })
  console.log([...cache.keys()].sort().join())
}, 30)
setTimeout(() => console.log(cache.has('a'), cache.get('b'), cache.size), 90)
setTimeout(() => console.log(cache.size), 300)
setTimeout(() => cache.set('never', 5, { ttl: 60_000 }), 310)
