/**
 * Alarms in a dedicated worker, whose timers a page does not throttle while it is hidden. One worker serves all wheels of a
 * module; it ends with the last of them. Until it has said that it runs, and where it never does, the page's timers serve.
 */

import { FOREVER } from '../forever.js'
import type { Globals, PageHost } from '../host.js'
import { type Alarm, hostAlarm, type OpenAlarm } from './host-alarm.js'

/** Told a wheel's number and a delay, sets its timer anew; says the number when that is due. Says 0 once it runs. */
const SOURCE =
  'const t={};onmessage=({data:[i,d]})=>{clearTimeout(t[i]);t[i]=setTimeout(()=>{delete t[i];postMessage(i)},d)};postMessage(0)'

interface WorkerAlarm extends Alarm {
  /** By the worker or by the page, as it stands now. */
  _setAnew(): void
  _ring(): void
}

/** Undefined: there are no workers, or no need of one, as in a worker, where nothing is throttled. */
export function workerAlarms(host: PageHost, globals: Globals): OpenAlarm | undefined {
  const { document, Worker, Blob, URL } = globals
  if (!document || !Worker || !Blob || !URL) return undefined

  /** Held only while they wait, so that a wheel which nobody uses any more can be collected. */
  const waiting = new Map<number, WorkerAlarm>()
  // Which of them a page's policy allows is not known before it is tried, and most engines say so in an event, later.
  const addresses = [
    () => URL.createObjectURL(new Blob([SOURCE], { type: 'text/javascript' })),
    () => `data:text/javascript,${encodeURIComponent(SOURCE)}`,
  ]
  let tried = 0
  let worker: Worker | undefined
  let isReady = false
  let users = 0
  let lastNumber = 0

  function changeTo(ready: boolean): void {
    isReady = ready
    for (const alarm of waiting.values()) alarm._setAnew()
  }
  function end(): void {
    worker?.terminate()
    worker = undefined
    isReady = false
  }
  function start(): void {
    let address = ''
    const giveUp = (): void => {
      end()
      URL!.revokeObjectURL(address)
      tried++
      start()
      // Back to the timers of the page, until there is another worker or for ever.
      changeTo(false)
    }
    if (tried === addresses.length) return
    try {
      address = addresses[tried]!()
      const started = new Worker!(address)
      worker = started
      started.onmessage = ({ data }) => {
        if (data) waiting.get(data)?._ring()
        else if (worker === started) {
          // It has been read. Revoked earlier, some engines would not find it.
          URL!.revokeObjectURL(address)
          changeTo(true)
        }
      }
      started.onerror = (event) => {
        event.preventDefault()
        if (worker === started) giveUp()
      }
    } catch {
      // Refused at once, whatever the reason: there is another way, or the page's own timers.
      giveUp()
    }
  }

  return (_host, wake) => {
    const number = ++lastNumber
    let due = FOREVER
    const ring = (): void => {
      due = FOREVER
      waiting.delete(number)
      fallback._close()
      wake()
    }
    const fallback = hostAlarm(host, ring)
    const alarm: WorkerAlarm = {
      _set(at) {
        // No page can clear a worker's timers: an earlier one will do.
        if (at === FOREVER || (isReady && at >= due)) return
        due = at
        waiting.set(number, alarm)
        alarm._setAnew()
      },
      _setAnew() {
        fallback._close()
        if (isReady) worker!.postMessage([number, Math.max(Math.ceil(due - host._now()), 0)])
        else fallback._set(due)
      },
      _ring: ring,
      _close() {
        fallback._close()
        waiting.delete(number)
        if (!--users) end()
      },
    }
    if (!users++) start()
    return alarm
  }
}
