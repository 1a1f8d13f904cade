/**
 * Alarms in a dedicated worker, whose timers a page does not throttle while it is hidden. All wheels of a module share one
 * worker, which ends when all of them are stopped. The page's timers serve until the worker reports that it runs, if it ever does.
 */
import { FOREVER } from '../../common/forever.js'
import type { Globals, PageHost } from '../host.js'
import { type Alarm, hostAlarm, MAX_TIMEOUT, type OpenAlarm } from './host-alarm.js'

/** Gets a wheel's number and a delay, and sets the wheel's timer. Posts the number when it is due, and 0 at the start. */
const SOURCE =
  'const t=[];onmessage=({data:[i,d]})=>{clearTimeout(t[i]);t[i]=setTimeout(postMessage,d,i)};postMessage(0)'

interface WorkerAlarm extends Alarm {
  /** Sets the timer again, in the worker if it is ready, otherwise in the page. */
  _setAnew(): void
  _ring(): void
}

/** Undefined if there are no workers, or if none is needed: in a worker nothing is throttled. */
export function workerAlarms(host: PageHost, globals: Globals): OpenAlarm | undefined {
  const { document, Worker, Blob, URL } = globals
  if (!document || !Worker || !Blob || !URL) return undefined

  /** The open alarms by number. Undefined: not set, so that a wheel without references can be collected. */
  const alarms = new Map<number, WorkerAlarm | undefined>()
  // Only a try shows which of these a page's policy allows. Most engines report a refusal later, in an event.
  const addresses = [
    () => URL.createObjectURL(new Blob([SOURCE], { type: 'text/javascript' })),
    () => `data:text/javascript,${encodeURIComponent(SOURCE)}`,
  ]
  let tried = 0
  let worker: Worker | undefined
  let isReady = false
  let lastNumber = 0

  function changeTo(ready: boolean): void {
    isReady = ready
    for (const alarm of alarms.values()) alarm?._setAnew()
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
      URL!.revokeObjectURL?.(address)
      tried++
      start()
      // Back to the timers of the page, until another worker runs or for ever.
      changeTo(false)
    }
    if (tried === addresses.length) return
    try {
      address = addresses[tried]!()
      const started = new Worker!(address)
      worker = started
      started.onmessage = ({ data }) => {
        if (data) alarms.get(data)?._ring()
        else if (worker === started) {
          // The address has been read. If it were revoked earlier, some engines would not find it.
          URL!.revokeObjectURL?.(address)
          changeTo(true)
        }
      }
      started.onerror = (event) => {
        event.preventDefault()
        if (worker === started) giveUp()
      }
    } catch {
      // Refused at once, for any reason: try the next address, or stay with the page's timers.
      giveUp()
    }
  }

  return (_host, wake) => {
    const number = ++lastNumber
    let due = FOREVER
    const ring = (): void => {
      due = FOREVER
      alarms.set(number, undefined)
      fallback._close()
      wake()
    }
    const fallback = hostAlarm(host, ring)
    const alarm: WorkerAlarm = {
      _set(at) {
        // A page cannot clear a worker's timers, so an earlier timer can stay.
        if (at === FOREVER || (isReady && at >= due)) return
        due = at
        alarms.set(number, alarm)
        alarm._setAnew()
      },
      _setAnew() {
        fallback._close()
        const left = Math.min(Math.ceil(due - host._now()), MAX_TIMEOUT)
        if (isReady) worker!.postMessage([number, left])
        else fallback._set(due)
      },
      _ring: ring,
      _close() {
        fallback._close()
        alarms.delete(number)
        if (!alarms.size) end()
      },
    }
    alarms.set(number, undefined)
    if (alarms.size === 1) start()
    return alarm
  }
}
