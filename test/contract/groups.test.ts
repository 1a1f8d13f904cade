/** What the random programs of model-program.ts leave out: very large groups and memory. */
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend, throwerOf, thrownBy } from './backends.js'

onEachBackend((backend) => {
  it('calls the callback without this and with one argument, the item', () => {
    const wheel = manualWheel(backend)
    const calls: unknown[] = []
    const group = wheel.group(function (this: unknown, ...args) {
      calls.push([this, args])
    }, 10)
    for (const item of ['a', undefined]) group.add(item)
    wheel.advance(10)
    expect(calls).toEqual([
      [undefined, ['a']],
      [undefined, [undefined]],
    ])
  })

  it('looks at no property of an item', () => {
    const trap = throwerOf(new Error('the item was looked at'))
    const item = new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap })
    const wheel = manualWheel(backend)
    let ran = 0
    const group = wheel.group(() => ran++, 10)
    for (let n = 0; n < 5; n++) group.add(item)
    wheel.advance(10)
    expect(ran).toBe(5)
  })

  it('goes through each member once, and leaves out one that is deleted meanwhile', () => {
    const group = manualWheel(backend).group((_: string) => {}, 10)
    const members = new Map(['a', 'b', 'c'].map((item) => [item, group.add(item)]))
    const iterator = group[Symbol.iterator]()
    expect(iterator[Symbol.iterator]()).toBe(iterator)
    const first = iterator.next().value!
    const [deleted, last] = [...members.keys()].filter((item) => item !== first)
    group.delete(members.get(deleted!)!)
    expect([...iterator]).toEqual([last])
    expect([...group].sort()).toEqual([first, last].sort())
  })

  it('goes through no member of another group that was added meanwhile', () => {
    const wheel = manualWheel(backend)
    const [old, next] = [wheel.group((_: string) => {}, 10), wheel.group((_: string) => {}, 10)]
    for (let n = 0; n < 4; n++) old.add(`old ${n}`)
    const seen: string[] = []
    for (const item of old) {
      seen.push(item)
      old.clear()
      for (let n = 0; n < 4; n++) next.add(`next ${n}`)
    }
    expect(seen).toEqual([expect.stringMatching(/^old/)])
    expect([old.size, next.size]).toEqual([0, 4])
  })

  it('reuses its places, also right after its last member was deleted', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(() => {}, 10)
    group.delete(group.add(0))
    const { bytes } = wheel.stats()
    for (let i = 0; i < scaled(50_000, 1_000_000); i++) group.delete(group.add(i))
    expect([group.size, wheel.stats().bytes]).toEqual([0, bytes])
    const members = Array.from({ length: 100_000 }, (_, i) => group.add(i))
    for (const member of members) group.delete(member)
    expect(members.some((member) => group.touch(member))).toBe(false)
    // Numbers from before the group was empty.
    const one = group.add(1)
    expect(members.includes(one) || members.some((member) => group.delete(member))).toBe(false)
    expect([...group]).toEqual([1])
    wheel.advance(10)
    expect(wheel.pending).toBe(0)
  })

  it('has groups on the shared wheel', () => {
    const group = backend.timerGroup((_: string) => {}, 60_000, { unref: true })
    const [member, deleted] = [group.add('x'), group.add('y')]
    expect([group.touch(member), group.size, group.delay]).toEqual([true, 2, 60_000])
    expect([group.delete(deleted), group.delete(deleted), group.has(deleted)]).toEqual([true, false, false])
    group.delay = 70_000
    expect([group.delay, [...group], group.stop()]).toEqual([70_000, ['x'], ['x']])
    expect(thrownBy(() => group.add('z'))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })
})
