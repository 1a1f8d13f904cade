/**
 * Which of Node's own modules are loaded. A program that has not loaded a module cannot use it, and to load one for nothing takes
 * 0.2 ms. Loaded modules stay.
 */
import { mainProcess } from './builtin.js'
import { isNode } from './is-node.js'

/** Undefined if the runtime does not tell. */
const list = isNode ? (Reflect.get(mainProcess(), 'moduleLoadList') as readonly string[]) : undefined

/** Returns a function that tells whether a module is loaded; true if the runtime does not tell. O(1) amortised. */
export function watchModule(name: string): () => boolean {
  if (list === undefined) return () => true
  const entry = `NativeModule ${name}`
  let isLoaded = false
  let seen = 0
  return () => {
    for (; seen < list.length && !isLoaded; seen++) isLoaded = list[seen] === entry
    return isLoaded
  }
}
