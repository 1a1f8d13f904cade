/** Signals with a timer fit where the signals of the runtime do. Only `npm run typecheck` checks this file. */
import { type TimeoutSignal, TimerWheel, timeoutSignal, withTimeout } from 'timeout-wheel'

const signal: TimeoutSignal = timeoutSignal(5)
export const native: AbortSignal = new TimerWheel().signal(5, { unref: false })
export const disposable: Disposable = signal
export const answer: Promise<Response> = fetch('data:,', { signal })
export const either: AbortSignal = AbortSignal.any([signal, native])
export const refreshed: TimeoutSignal = signal.refresh(5)
addEventListener('abort', signal.clear, { signal })

export const value: Promise<string> = withTimeout(Promise.resolve('text'), 5, { signal, unref: true })
export const plain: Promise<number> = withTimeout(5, 5, { signal: native })
// @ts-expect-error: a delay is a number
timeoutSignal('5')
// @ts-expect-error: there is no such option
withTimeout(value, 5, { ref: false })
// @ts-expect-error: a native signal has no such methods
native.clear()
