/** Resources that end with their scope, from TypeScript 5.2: also without its types for them. */
import { setTimeout, TimerWheel, timeoutSignal } from 'timeout-wheel'

export function program(): boolean {
  using wheel = new TimerWheel()
  using timeout = wheel.setTimeout(() => {}, 5)
  using other = setTimeout(() => {}, 5)
  using signal = timeoutSignal(5)
  return timeout.pending && other.pending && signal.aborted
}
