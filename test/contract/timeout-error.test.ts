/** Signals and promises with a deadline have the error of the host's own `AbortSignal.timeout`. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'

const reasonOf = (signal: AbortSignal): Promise<DOMException> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))

const show = (error: DOMException): unknown[] => [
  Object.getPrototypeOf(error) === DOMException.prototype,
  error.name,
  error.message,
  error.code,
  String(error),
]

onEachBackend((backend) => {
  it('has the class, name, code and message of the host', async () => {
    const native = show(await reasonOf(AbortSignal.timeout(1)))
    const wheel = new backend.TimerWheel()
    expect(native.slice(0, 2)).toEqual([true, 'TimeoutError'])
    expect(show(await reasonOf(backend.timeoutSignal(1)))).toEqual(native)
    expect(show(await reasonOf(wheel.signal(1)))).toEqual(native)
    const error = await backend.withTimeout(new Promise(() => {}), 1).catch((error: DOMException) => error)
    expect(show(error as DOMException)).toEqual(native)
  })
})
