/** `maxPending` bounds the timers of a wheel. A refused call changes nothing: see also the programs of model.test.ts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

const LIMIT = { name: 'RangeError', code: 'ERR_WHEEL_LIMIT' }
const STOPPED = { name: 'Error', code: 'ERR_WHEEL_STOPPED' }

onEachBackend((backend) => {
  it.each([
    ['setTimeout', (wheel: Wheel) => wheel.setTimeout(() => {}, 10)],
    ['setTimeout with an argument', (wheel: Wheel) => wheel.setTimeout((_: number) => {}, 10, 1)],
    ['setInterval', (wheel: Wheel) => wheel.setInterval(() => {}, 10)],
    ['schedule', (wheel: Wheel) => wheel.schedule(() => {}, 10)],
    ['schedule with an argument', (wheel: Wheel) => wheel.schedule((_: number) => {}, 10, 1)],
    ['schedule for a far time', (wheel: Wheel) => wheel.schedule(() => {}, 2 ** 40)],
  ])('refuses one more timer of %s, and takes it when another has ended', (_name, set) => {
    const wheel = manualWheel(backend, { maxPending: 3 })
    const ids = [1, 2, 3].map((ms) => wheel.schedule(() => {}, ms))
    const message = 'the wheel takes no more timers: maxPending is 3'
    for (let i = 0; i < 3; i++) expect(thrownBy(() => set(wheel))).toMatchObject({ ...LIMIT, message })
    expect(wheel.pending).toBe(3)
    wheel.cancel(ids[0]!)
    set(wheel)
    expect(wheel.pending).toBe(3)
    expect(thrownBy(() => set(wheel))).toMatchObject(LIMIT)
    wheel.advance(2)
    set(wheel)
    expect(thrownBy(() => set(wheel))).toMatchObject(LIMIT)
    expect(wheel.stop()).toHaveLength(3)
    const stopped = 'the wheel was stopped: it takes no more timers'
    expect(thrownBy(() => set(wheel))).toMatchObject({ ...STOPPED, message: stopped })
  })

  it('names the wheel that refuses, after it has checked the arguments', () => {
    const wheel = manualWheel(backend, { maxPending: 1, name: 'requests' })
    wheel.schedule(() => {}, 1)
    const message = 'the wheel "requests" takes no more timers: maxPending is 1'
    expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ ...LIMIT, message })
    const codes = [
      () => wheel.schedule(null as never, 1),
      () => wheel.schedule(() => {}, '1' as never),
      () => wheel.setTimeout(null as never, 1),
      () => wheel.schedule(() => {}, -1),
    ].map((call) => (thrownBy(call) as { code: string }).code)
    expect(codes).toEqual([...Array(3).fill('ERR_INVALID_ARG_TYPE'), 'ERR_OUT_OF_RANGE'])
    expect([wheel.name, new backend.TimerWheel().name]).toEqual(['requests', ''])
  })

  it('forgets the number of a handle that it refuses to refresh, and takes the handle later', () => {
    const wheel = manualWheel(backend, { maxPending: 1 })
    let ran = 0
    const handle = wheel.setTimeout(() => ran++, 1)
    const number = +handle
    wheel.advance(1)
    const other = wheel.setTimeout(() => {}, 50)
    for (const delay of [undefined, 5]) expect(thrownBy(() => handle.refresh(delay))).toMatchObject(LIMIT)
    wheel.clearTimeout(number)
    other.close()
    handle.refresh(2)
    wheel.advance(2)
    expect([ran, wheel.pending]).toEqual([2, 0])
  })
})
