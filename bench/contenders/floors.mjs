/** Not timers: the AsyncResource that each handle with an async context needs, and a bare object. */
import { AsyncResource } from 'node:async_hooks'

const options = { requireManualDestroy: true }

/** Has nothing but a context, so that no handle with a context can cost less. */
class Resource extends AsyncResource {
  constructor() {
    super('Timeout', options)
  }
}

class TimedResource extends Resource {
  constructor(callback, argument) {
    super()
    this.callback = callback
    this.argument = argument
  }

  call() {
    this.callback(this.argument)
  }
}

/** One resource of each class, whose async ids are written once more as small integers. Otherwise V8 allocates a box for each id. */
export const samples = [new Resource(), new TimedResource(() => {}, undefined)]
for (const sample of samples) {
  for (const key of Object.getOwnPropertySymbols(sample)) {
    const value = sample[key]
    if (typeof value !== 'number') continue
    sample[key] = undefined
    sample[key] = value
  }
}

const resources = (set) => ({
  set,
  setWith: set,
  clear: (resource) => resource.emitDestroy(),
  refresh: () => {},
})

export const resource = () => resources(() => new Resource())

class Field {
  written = 0
}

export const field = () => {
  let writes = 0
  const set = () => new Field()
  return {
    set,
    setWith: set,
    clear: () => {},
    refresh: (object) => {
      writes = (writes + 1) | 0
      object.written = writes
    },
  }
}

/** Callbacks are kept in an array for each millisecond, and run in their context. They cannot be cleared. */
export const run = () => {
  const start = performance.now()
  const byMillisecond = new Map()
  let reached = 0
  let ticking

  // All timers that are set within a millisecond share one reading of the clock.
  const tick = () => {
    const now = Math.floor(performance.now() - start)
    for (; reached <= now; reached++) {
      const due = byMillisecond.get(reached)
      if (due === undefined) continue
      byMillisecond.delete(reached)
      for (const resource of due) {
        resource.runInAsyncScope(resource.call, resource)
        resource.emitDestroy()
      }
    }
    if (byMillisecond.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }

  return resources((callback, delay, argument) => {
    const due = reached + delay
    const resource = new TimedResource(callback, argument)
    const others = byMillisecond.get(due)
    if (others === undefined) byMillisecond.set(due, [resource])
    else others.push(resource)
    ticking ??= setInterval(tick, 1)
    return resource
  })
}
