/** Tells those who wait when a page wakes: it is shown again, comes out of the back/forward cache, or is thawed. */
import type { Life } from '../host.js'

export function watchLife(document: EventTarget, window: EventTarget): Life {
  const waiting = new Set<() => void>()
  let isWatching = false
  const wake = (): void => {
    for (const callback of [...waiting]) callback()
  }
  return {
    add(callback) {
      if (!isWatching) {
        isWatching = true
        document.addEventListener('visibilitychange', wake)
        document.addEventListener('resume', wake)
        window.addEventListener('pageshow', wake)
      }
      waiting.add(callback)
    },
    delete: (callback) => waiting.delete(callback),
  }
}
