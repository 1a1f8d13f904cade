/** No timers: what Node takes for the async context of each, and no handle with such a context can do without. */
import { AsyncResource } from 'node:async_hooks'

/** @import { Timers } from './index.mjs' */

const options = { requireManualDestroy: true }

/** As bare as it can be, so that nothing with a context takes less. */
class Resource extends AsyncResource {
  constructor() {
    super('Timeout', options)
  }
}

class WrittenResource extends Resource {
  written = 0
}

class TimedResource extends Resource {
  /**
   * @param {(argument: unknown) => void} callback
   * @param {unknown} argument
   */
  constructor(callback, argument) {
    super()
    this.callback = callback
    this.argument = argument
  }

  call() {
    this.callback(this.argument)
  }
}

/**
 * Of each class one, which V8 has seen to hold its async ids as small integers: it would keep each in a box otherwise, which
 * is none of what has to be.
 */
export const samples = [new Resource(), new WrittenResource(), new TimedResource(() => {}, undefined)]
for (const sample of samples) {
  const fields = /** @type {Record<symbol, unknown>} */ (/** @type {unknown} */ (sample))
  for (const key of Object.getOwnPropertySymbols(fields)) {
    const value = fields[key]
    if (typeof value !== 'number') continue
    fields[key] = undefined
    fields[key] = value
  }
}

/** @returns {Timers} */
export const handles = () => {
  const set = () => new Resource()
  return {
    set,
    setWith: set,
    clear: (resource) => resource.emitDestroy(),
    refresh: () => {},
  }
}

/**
 * Each is kept, as a pending timer is.
 *
 * @returns {Timers}
 */
export const kept = () => {
  const chunkLength = 5_000
  /** @type {Resource[]} */
  let chunk = []
  const chunks = [chunk]
  const set = () => {
    if (chunk.length === chunkLength) {
      chunk = []
      chunks.push(chunk)
    }
    const resource = new Resource()
    chunk.push(resource)
    return resource
  }
  return { ...handles(), set, setWith: set }
}

/**
 * What it takes to write into an object with an async context, which a handle that is refreshed has to do.
 *
 * @returns {Timers}
 */
export const written = () => {
  const set = () => new WrittenResource()
  let writes = 0
  return {
    set,
    setWith: set,
    clear: (resource) => resource.emitDestroy(),
    refresh: (resource) => {
      writes = (writes + 1) | 0
      resource.written = writes
    },
  }
}

/**
 * What it takes to keep callbacks with a context until their millisecond, in an array for each, and to run them in it. None
 * can be cleared.
 *
 * @returns {Timers}
 */
export const run = () => {
  const start = performance.now()
  /** @type {Map<number, TimedResource[]>} */
  const byMillisecond = new Map()
  let reached = 0
  /** @type {NodeJS.Timeout | undefined} */
  let ticking

  // The clock is read for all that is set until the next millisecond.
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

  /**
   * @param {(argument: unknown) => void} callback
   * @param {number} delay
   * @param {unknown} [argument]
   */
  const setWith = (callback, delay, argument) => {
    const due = reached + delay
    const resource = new TimedResource(callback, argument)
    const others = byMillisecond.get(due)
    if (others === undefined) byMillisecond.set(due, [resource])
    else others.push(resource)
    ticking ??= setInterval(tick, 1)
    return resource
  }
  return { ...handles(), set: setWith, setWith }
}
