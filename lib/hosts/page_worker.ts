/** A dedicated worker from a script that is at hand as text. */
import type { HostWorker } from '../host.js'

/** What is needed of a page, so that tests can stand in for one. */
export interface WorkerGlobals {
  Worker: typeof Worker
  Blob: typeof Blob
  URL: typeof URL
}

/**
 * Starts the worker by a blob's address, else by a `data:` address: which of them a page's policy allows is not known
 * before it is tried, and most engines say so in an event, later.
 *
 * @param onMessage hears what the worker says
 * @param onFailure there is no worker, or none any more. May be called at once
 */
export function startWorker(
  { Worker, Blob, URL }: WorkerGlobals,
  source: string,
  onMessage: (data: unknown) => void,
  onFailure: () => void,
): HostWorker {
  let worker: Worker | undefined
  const addresses = [
    () => URL.createObjectURL(new Blob([source], { type: 'text/javascript' })),
    () => `data:text/javascript,${encodeURIComponent(source)}`,
  ]

  function start(): void {
    const addressOf = addresses.shift()
    if (addressOf === undefined) return onFailure()
    let address = ''
    try {
      address = addressOf()
      const started = new Worker(address)
      worker = started
      started.onmessage = ({ data }) => {
        // It has been read. Revoked earlier, some engines would not find it.
        URL.revokeObjectURL(address)
        onMessage(data)
      }
      started.onerror = (event) => {
        event.preventDefault()
        if (worker === started) giveUp(address)
      }
    } catch {
      // Refused at once, whatever the reason: there is another way, or the host's own timers.
      giveUp(address)
    }
  }
  function giveUp(address: string): void {
    worker?.terminate()
    worker = undefined
    URL.revokeObjectURL(address)
    start()
  }
  start()

  return {
    post: (message) => worker?.postMessage(message),
    terminate() {
      addresses.length = 0
      worker?.terminate()
      worker = undefined
    },
  }
}
