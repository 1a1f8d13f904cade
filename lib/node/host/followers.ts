/**
 * Signals made by `AbortSignal.any` that follow a signal with a timer, on Node: they are kept as long as they can abort, and not longer.
 *
 * **Kept.** `AbortSignal.any([AbortSignal.any([source])])` makes an inner and an outer signal. Both follow the source, and nothing
 * refers to the inner one. When it is collected, Node 22 removes the source from the sources of the outer signal, as if the source
 * were collected. A signal without a source is no longer kept for its listeners: the outer signal is collected, and never aborts. Here
 * its set of sources ignores the removal of a source that is alive.
 *
 * **Let go.** Node 20 and 26 keep a follower with listeners when its sources are collected, and Node 20 and 22 keep it after the
 * abort. Here it is let go in both cases. The last versions of Node 24 do all this by themselves.
 */

import { symbolOf } from './symbol-of.js'

type Keyed = Record<symbol, unknown>
type Reference<T extends object> = WeakRef<T>

/** Gives an object a property of its own, whatever it inherits. */
const override = (object: object, name: PropertyKey, value: unknown): void => {
  Object.defineProperty(object, name, { value, configurable: true })
}

/**
 * Returns a function that keeps the living sources of a follower, and lets the follower go when they are collected.
 *
 * @param letGo lets a follower go that has a source
 */
function sourceKeeper(sourcesKey: symbol, letGo: (follower: Keyed) => void) {
  const removeFrom = Set.prototype.delete
  const sourcesOf = (follower: Keyed) => follower[sourcesKey] as Set<Reference<object>>
  const collected = new FinalizationRegistry<Reference<Keyed>>((reference) => {
    const follower = reference.deref()
    if (follower === undefined) return
    const sources = sourcesOf(follower)
    sources.forEach((source) => {
      if (source.deref() !== undefined) return
      if (sources.size === 1) letGo(follower)
      removeFrom.call(sources, source)
    })
  })
  return (source: object, follower: Keyed): void => {
    const sources = sourcesOf(follower)
    const reference = new WeakRef(follower)
    collected.register(source, reference)
    override(sources, 'delete', (other: Reference<object>) => {
      const living = other.deref()
      if (living === undefined) return removeFrom.call(sources, other)
      collected.register(living, reference)
      return false
    })
  }
}

/**
 * Returns what followers need from the signal that they follow. Undefined: this version of Node has no such sets, or fills them later.
 */
export function followerRules() {
  const { signal } = new AbortController()
  const first = AbortSignal.any?.([signal])
  const followersKey = symbolOf(signal, 'kDependantSignals')
  const sourcesKey = first && symbolOf(first, 'kSourceSignals')
  const removed = symbolOf(AbortSignal.prototype, 'kRemoveListener')
  if (!followersKey || !sourcesKey || !removed) return undefined
  // What Node does when the last listener is removed.
  const letGo = (follower: Keyed): void =>
    (follower[removed] as (left: number, type: string) => void)(0, 'abort')
  const keepSources = sourceKeeper(sourcesKey, letGo)
  const addTo = Set.prototype.add
  return {
    /** Prepares the prototype of signals that are followed. */
    prepare(prototype: object): void {
      Object.defineProperty(prototype, followersKey, {
        // Node writes the property of a signal when the first one follows it.
        set(this: object, followers: Set<Reference<Keyed>>) {
          override(followers, 'add', (follower: Reference<Keyed>) => {
            const signal = follower.deref()
            if (signal !== undefined) keepSources(this, signal)
            return addTo.call(followers, follower)
          })
          override(this, followersKey, followers)
        },
      })
    },
    /** Lets the followers of an aborted signal go. */
    release(signal: AbortSignal): void {
      const followers = (signal as AbortSignal & Keyed)[followersKey] as Set<Reference<Keyed>> | undefined
      followers?.forEach((reference) => {
        const follower = reference.deref()
        if (follower !== undefined) letGo(follower)
      })
    },
  }
}
