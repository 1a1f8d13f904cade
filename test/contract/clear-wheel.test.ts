/** `clear()` cancels all timers of a wheel, which stays usable. `using` ends it. The callbacks of model.test.ts call it too. */
import { expect, it } from '@jest/globals'
import { dispose, manualWheel, onEachBackend, thrownBy } from './backends.js'
import { turn } from './clock.js'

onEachBackend((backend) => {
  it.each([true, false])('cancels every kind of timer (async context: %p)', (asyncContext) => {
    const wheel = manualWheel(backend, { asyncContext })
    const ofAnother = manualWheel(backend, { asyncContext }).setTimeout(() => {}, 1)
    const ran: unknown[] = []
    const run = (what: unknown): void => void ran.push(what)
    const ids = Array.from({ length: 6000 }, (_, i) => wheel.schedule(run, 10 + i, i))
    ids.push(wheel.schedule(run, 2 ** 45, 'far'))
    wheel.reschedule(ids[7]!, 99)
    const handles = Array.from({ length: 200 }, (_, i) => wheel.setTimeout(run, 10 + i, i))
    handles[3]!.refresh()
    handles[4]!.unref()
    handles[5]!.unref().refresh(500)
    handles.push(wheel.setInterval(run, 10, 'interval'))
    const group = wheel.group(run, 50)
    const members = ['a', 'b', 'c'].map((item) => group.add(item))
    const empty = wheel.group(run, 50)
    empty.delete(empty.add('d'))

    expect(wheel.clear()).toBe(6001 + 201 + 3)
    expect([wheel.pending, [...wheel], group.size]).toEqual([0, [], 0])
    expect(ids.some((id) => wheel.cancel(id))).toBe(false)
    expect(members.some((member) => group.touch(member))).toBe(false)
    expect(handles.some((handle) => handle.pending || handle.refresh().pending)).toBe(false)
    wheel.advance(2 ** 46)
    expect([ran, wheel.clear()]).toEqual([[], 0])

    group.add('again')
    wheel.schedule(run, 60, 'id')
    wheel.setTimeout(run, 70, 'handle')
    wheel.advance(100)
    expect(ran).toEqual(['again', 'id', 'handle'])
    wheel.stop()
    expect([wheel.clear(), ofAnother.pending]).toEqual([0, true])
  })

  it('clears the real wheel of a program', async () => {
    const wheel = new backend.TimerWheel()
    let ran = 0
    for (let i = 0; i < 100; i++) wheel.setTimeout(() => ran++, 1)
    await turn()
    expect(wheel.clear() + ran).toBe(100)
    const before = ran
    await new Promise((resolve) => wheel.setTimeout(resolve, 5))
    expect(ran).toBe(before)
    wheel.stop()
  })

  it('is stopped at the end of the scope of `using`', () => {
    const wheel = manualWheel(backend)
    const handle = wheel.setTimeout(() => {}, 5)
    expect([wheel[dispose](), wheel[dispose](), handle.pending]).toEqual([undefined, undefined, false])
    expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })
})
