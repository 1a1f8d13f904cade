/**
 * Alarms in a dedicated worker, whose timers a page does not throttle while it is hidden. All wheels of a module share one
 * worker, which ends when all of them are stopped. The page's timers serve until the worker reports that it runs, if it ever does.
 */
import { FOREVER, MAX_TIMEOUT } from '../common/constants.js'
import type { Globals } from './host.js'
import { hostAlarm, type OpenAlarm } from './host-alarm.js'

/** Gets a wheel's number and a delay, and sets the wheel's timer. Posts the number when it is due, and 0 at the start. */
const SOURCE =
  'const t=[];onmessage=({data:[i,d]})=>{clearTimeout(t[i]);t[i]=setTimeout(postMessage,d,i)};postMessage(0)'

/** Turns addresses into trusted ones. A page with the directive `require-trusted-types-for` starts workers only from these. */
interface Policy {
  createScriptURL(address: string): unknown
}
interface TrustedTypes {
  readonly trustedTypes?: { createPolicy(name: string, policy: Policy): Policy }
}

/** Undefined if none is needed: in a worker nothing is throttled. */
export function workerAlarms(globals: Globals & TrustedTypes): OpenAlarm | undefined {
  const { document, Worker, Blob, URL, trustedTypes, console } = globals
  if (!document) return undefined

  /**
   * By the number of each open alarm, the function that rings it, or sets its timer again. Undefined: it is not set, so that a
   * wheel without references can be collected.
   */
  const alarms = new Map<number, ((rings?: boolean) => void) | undefined>()
  let policy: Policy | undefined
  let worker: Worker | undefined
  let isReady = false
  let isRefused = false
  let lastNumber = 0

  function changeTo(ready: boolean): void {
    isReady = ready
    for (const act of alarms.values()) act?.()
  }
  function end(): void {
    worker?.terminate()
    worker = undefined
    // Back to the timers of the page, until another worker runs or for ever.
    changeTo(false)
  }
  function start(): void {
    let address = ''
    // Once the address has been read. If it were revoked earlier, some engines would not find it.
    const revoke = (): void => URL?.revokeObjectURL?.(address)
    const giveUp = (): void => {
      end()
      revoke()
      isRefused = true
      console!.warn("timeout-wheel: the driver 'worker' uses the timers of the page, which forbids workers")
    }
    if (isRefused) return
    // Only a try shows whether the page has and allows this. Most engines report a refusal later, in an event.
    try {
      address = URL!.createObjectURL(new Blob!([SOURCE], { type: 'text/javascript' }))
      try {
        policy ??= trustedTypes!.createPolicy('timeout-wheel', { createScriptURL: (trusted) => trusted })
      } catch {
        // The page has no trusted types, or does not allow this policy.
      }
      const started = new Worker!((policy?.createScriptURL(address) as string) ?? address)
      worker = started
      started.onmessage = ({ data }) => {
        if (data) alarms.get(data)?.(true)
        else if (worker === started) {
          revoke()
          changeTo(true)
        }
      }
      started.onerror = (event) => {
        event.preventDefault()
        if (worker === started) giveUp()
      }
    } catch {
      // Refused at once, for any reason: stay with the page's timers.
      giveUp()
    }
  }

  return (host, wake) => {
    const number = ++lastNumber
    let due = FOREVER
    const act = (rings?: boolean): void => {
      fallback._close()
      if (rings) {
        due = FOREVER
        alarms.set(number, undefined)
        wake()
      } else if (isReady)
        worker!.postMessage([number, Math.min(Math.max(Math.ceil(due - host._now()), 0), MAX_TIMEOUT)])
      else fallback._set(due)
    }
    const fallback = hostAlarm(host, () => act(true))
    alarms.set(number, undefined)
    if (alarms.size === 1) start()
    return {
      _set(at) {
        // A page cannot clear a worker's timers, so an earlier timer can stay.
        if (at === FOREVER || (isReady && at >= due)) return
        due = at
        alarms.set(number, act)
        act()
      },
      _close() {
        fallback._close()
        alarms.delete(number)
        if (!alarms.size) end()
      },
    }
  }
}
