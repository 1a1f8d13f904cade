/** `timeout-wheel/register` in a page or a worker: replaces its timers by those of `timeout-wheel` when it is loaded. */
import { patch, patchesOf, unpatch } from '../common/patch-globals.js'
import { clearInterval, clearTimeout, setInterval, setTimeout } from './browser.js'

type Set = (callback: never, ...rest: never[]) => unknown

/**
 * A page also takes code as a text, and runs anything else that is no function as such a text. Its own function does that. A page converts
 * every object to a delay.
 */
function asOfPage(name: 'setTimeout' | 'setInterval', ours: Set): Set {
  const host = globalThis[name] as Set
  const both = {
    [name](...all: unknown[]) {
      if (typeof all[1] === 'object') all[1] = (all[1] as unknown as number) * 1
      return (typeof all[0] === 'function' ? ours : host).apply(undefined, all as [never])
    },
  }
  return both[name] as Set
}

const patches = patchesOf(globalThis, 'globalThis', {
  setTimeout: asOfPage('setTimeout', setTimeout),
  clearTimeout,
  setInterval: asOfPage('setInterval', setInterval),
  clearInterval,
})

export function register(): boolean {
  return patch(globalThis, patches, (message) => console.warn(message))
}

export function unregister(): string[] {
  return unpatch(globalThis)
}

register()
