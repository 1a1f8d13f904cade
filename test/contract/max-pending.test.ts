/** `maxPending` bounds the timers of a wheel. A refused call changes nothing: see also the programs of model.test.ts,
 * and full-wheel.test.ts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

const LIMIT = { name: 'RangeError', code: 'ERR_WHEEL_LIMIT' }
const STOPPED = { name: 'Error', code: 'ERR_WHEEL_STOPPED' }

const ignore = (): void => {}

onEachBackend((backend) => {
  it.each([
    ['', 'the wheel'],
    ['requests', 'the wheel "requests"'],
  ])('names the wheel %p that refuses, after it has checked the arguments', (name, named) => {
    const wheel = manualWheel(backend, { maxPending: 1, name })
    const message = `${named} takes no more timers: maxPending is 1`
    wheel.schedule(ignore, 1)
    const calls = [
      () => wheel.schedule(ignore, 1),
      () => wheel.schedule(ignore, 2 ** 40),
      () => wheel.setTimeout(ignore, 1),
      () => wheel.setInterval(ignore, 1),
    ]
    for (const call of calls) expect(thrownBy(call)).toMatchObject({ ...LIMIT, message })
    const codes = [
      () => wheel.schedule(null as never, 1),
      () => wheel.schedule(ignore, '1' as never),
      () => wheel.setTimeout(null as never, 1),
      () => wheel.schedule(ignore, -1),
    ].map((call) => (thrownBy(call) as { code: string }).code)
    expect(codes).toEqual([...Array(3).fill('ERR_INVALID_ARG_TYPE'), 'ERR_OUT_OF_RANGE'])
    expect([wheel.name, wheel.stop().length]).toEqual([name, 1])
    const stopped = 'the wheel was stopped: it takes no more timers'
    for (const call of calls) expect(thrownBy(call)).toMatchObject({ ...STOPPED, message: stopped })
  })
})
