/** A group runs one callback for each member, after one delay from the last touch of the member. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'

onEachBackend((backend) => {
  it('runs the callback with each item, after the delay', () => {
    const wheel = manualWheel(backend)
    const ran: unknown[] = []
    const group = wheel.group((item) => ran.push(item), 100)
    for (const item of ['a', undefined, 3]) group.add(item)
    wheel.advance(99)
    expect([ran, group.size, wheel.pending]).toEqual([[], 3, 3])
    wheel.advance(1)
    expect([ran, group.size, wheel.pending]).toEqual([['a', undefined, 3], 0, 0])
  })

  it('counts the delay anew from each touch', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const group = wheel.group((item: string) => ran.push(item), 100)
    const first = group.add('first')
    group.add('second')
    wheel.advance(50)
    expect(group.touch(first)).toBe(true)
    wheel.advance(50)
    expect(ran).toEqual(['second'])
    wheel.advance(49)
    expect(ran).toEqual(['second'])
    wheel.advance(1)
    expect(ran).toEqual(['second', 'first'])
  })

  it('gives back numbers that are numbers', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(() => {}, 10)
    const members = Array.from({ length: 1_000 }, (_, i) => group.add(i))
    expect(new Set(members).size).toBe(1_000)
    expect(members.every((member) => Number.isSafeInteger(member) && member > 0)).toBe(true)
  })

  it('removes a member before its callback runs', () => {
    const wheel = manualWheel(backend)
    const seen: unknown[] = []
    const group = wheel.group(() => {
      seen.push([group.has(member), group.touch(member), group.delete(member), group.size, wheel.pending])
    }, 10)
    const member = group.add('x')
    wheel.advance(10)
    expect(seen).toEqual([[false, false, false, 0, 0]])
  })

  it('calls the callback without this and with one argument', () => {
    const wheel = manualWheel(backend)
    const calls: unknown[] = []
    const group = wheel.group(function (this: unknown, ...args) {
      calls.push([this, args])
    }, 10)
    group.add('item')
    wheel.advance(10)
    expect(calls).toEqual([[undefined, ['item']]])
  })

  it('knows a member by its number until the member is gone', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(() => {}, 10)
    const deleted = group.add('deleted')
    const expired = group.add('expired')
    expect([group.has(deleted), group.delete(deleted), group.delete(deleted)]).toEqual([true, true, false])
    wheel.advance(10)
    for (const member of [deleted, expired]) {
      expect([group.has(member), group.touch(member), group.delete(member)]).toEqual([false, false, false])
    }
    const added = group.add('new')
    expect([deleted, expired].includes(added)).toBe(false)
    expect([group.touch(deleted), group.touch(expired), group.size]).toEqual([false, false, 1])
  })

  it('knows no number of another group or of another wheel', () => {
    const wheel = manualWheel(backend)
    const other = manualWheel(backend)
    const groups = [wheel, wheel, other].map((of) => of.group(() => {}, 10))
    const members = groups.map((group) => Array.from({ length: 5_000 }, (_, i) => group.add(i)))
    const known = groups.map((group) =>
      members.map((of) => of.filter((member) => group.touch(member)).length),
    )
    expect(known).toEqual([
      [5_000, 0, 0],
      [0, 5_000, 0],
      [0, 0, 5_000],
    ])
    const id = wheel.schedule(() => {}, 10)
    expect([groups[0]!.touch(id), wheel.cancel(members[0]![0]!)]).toEqual([false, false])
  })

  it.each([0, -0, -1, 0.5, 1e300, 2 ** 27, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    'knows no member %d',
    (number) => {
      const group = manualWheel(backend).group(() => {}, 10)
      const member = group.add('x')
      for (const forged of [number, member + number + 2 ** 27, member * 2 ** 27]) {
        expect([group.touch(forged), group.has(forged), group.delete(forged)]).toEqual([false, false, false])
      }
      expect([...group]).toEqual(['x'])
    },
  )

  it('knows no forged number at a place that is free', () => {
    const group = manualWheel(backend).group(() => {}, 10)
    const members = Array.from({ length: 20 }, (_, i) => group.add(`${i}`))
    const deleted = members.filter((_, i) => i % 3 === 0)
    for (const member of deleted) group.delete(member)
    for (const member of deleted) {
      for (let n = -8; n <= 8; n++) {
        for (const step of [1, 2 ** 13, 2 ** 26, 2 ** 27, 2 ** 28]) {
          const forged = member + n * step
          if (!members.includes(forged) || deleted.includes(forged)) {
            const known = [group.touch(forged), group.has(forged), group.delete(forged)]
            expect(known).toEqual([false, false, false])
          }
        }
      }
    }
    for (let i = 20; i < 40; i++) group.add(`${i}`)
    const left = Array.from({ length: 40 }, (_, i) => i).filter((i) => i >= 20 || i % 3 !== 0)
    expect([...group]).toEqual(left.map(String))
  })

  it('lets an iteration see later changes, as in a Map', () => {
    const group = manualWheel(backend).group((_: string) => {}, 10)
    const members = ['a', 'b', 'c'].map((item) => group.add(item))
    const seen: string[] = []
    for (const item of group) {
      seen.push(item)
      if (item === 'a') group.delete(members[1]!)
      if (seen.length < 5) group.add(`${item}${item}`)
    }
    expect(seen).toEqual(['a', 'c', 'aa', 'cc', 'aaaa', 'cccc'])
    const iterator = group[Symbol.iterator]()
    expect(iterator[Symbol.iterator]()).toBe(iterator)
    expect(iterator.next()).toEqual({ value: 'a', done: false })
    group.clear()
    group.add('again')
    expect([...iterator]).toEqual(['again'])
  })

  it.each([0, 0.5, 1, 1.5, 7.25, 2 ** 31, 2 ** 33 + 0.5, 2 ** 45])(
    'is never early with a delay of %d ms',
    (delay) => {
      const wheel = manualWheel(backend)
      let ran = 0
      const group = wheel.group(() => ran++, delay)
      group.add('x')
      const due = Math.max(1, Math.ceil(delay))
      wheel.advance(due - 1)
      expect(ran).toBe(0)
      // A deadline that would be one of the last ticks before 2^32, which encode states, is up to 3 ticks later.
      wheel.advance(due % 2 ** 31 === 0 ? 4 : 1)
      expect(ran).toBe(1)
    },
  )

  it('runs due members in order with all other timers', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const note = (name: string): void => void ran.push(name)
    const one = wheel.group(note, 10)
    const two = wheel.group(note, 10)
    for (let i = 0; i < 50; i++) {
      one.add(`one ${i}`)
      wheel.schedule(note, 10, `id ${i}`)
      two.add(`two ${i}`)
      wheel.setTimeout(note, 10, `handle ${i}`)
    }
    wheel.advance(10)
    expect(ran).toEqual(
      Array.from({ length: 50 }, (_, i) => [`one ${i}`, `id ${i}`, `two ${i}`, `handle ${i}`]).flat(),
    )
  })

  it('runs the other members if a callback throws', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    const group = wheel.group((item: number) => {
      ran.push(item)
      if (item === 5_000) throw new Error('refused')
    }, 10)
    for (let i = 0; i < 10_000; i++) group.add(i)
    expect(() => wheel.advance(10)).toThrow('refused')
    wheel.advance(1)
    expect(ran).toEqual(Array.from({ length: 10_000 }, (_, i) => i))
    expect([group.size, wheel.pending]).toEqual([0, 0])
  })

  it('allows every change while the group expires', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const members = new Map<string, number>()
    const group = wheel.group((item: string) => {
      ran.push(item)
      if (item !== 'a') return
      expect(group.delete(members.get('b')!)).toBe(true)
      expect(group.touch(members.get('c')!)).toBe(true)
      members.set('e', group.add('e'))
    }, 10)
    for (const item of ['a', 'b', 'c', 'd']) members.set(item, group.add(item))
    wheel.advance(10)
    expect([ran, group.size]).toEqual([['a', 'd'], 2])
    wheel.advance(10)
    expect([ran, group.size]).toEqual([['a', 'd', 'c', 'e'], 0])
  })

  it('runs nothing more after clear() or stop() inside a callback', () => {
    for (const end of ['clear', 'stop'] as const) {
      const wheel = manualWheel(backend)
      const ran: number[] = []
      const group = wheel.group((item: number) => {
        ran.push(item)
        if (item === 2) group[end]()
      }, 10)
      for (let i = 0; i < 100; i++) group.add(i)
      wheel.advance(20)
      expect([ran, group.size, wheel.pending]).toEqual([[0, 1, 2], 0, 0])
    }
  })

  it('takes new members after clear(), and none after stop()', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    const group = wheel.group(() => ran++, 10)
    const member = group.add('a')
    group.clear()
    expect([group.has(member), group.size, wheel.pending]).toEqual([false, 0, 0])
    group.add('b')
    group.add('c')
    expect([group.stop(), group.stop(), group.size, wheel.pending]).toEqual([['b', 'c'], [], 0, 0])
    const error = thrownBy(() => group.add('d'))
    expect(error).toMatchObject({
      name: 'Error',
      code: 'ERR_WHEEL_STOPPED',
      message: 'the group or its wheel was stopped: it takes no more members',
    })
    wheel.advance(100)
    expect(ran).toBe(0)
  })

  it('ends with its wheel, whose stop() returns the items in order with the other timers', () => {
    const wheel = manualWheel(backend)
    const callback = (): void => {}
    const group = wheel.group(callback, 100)
    const members = ['a', 'b', 'c'].map((item) => group.add(item))
    wheel.advance(10)
    group.touch(members[0]!)
    const id = (): void => {}
    wheel.schedule(id, 95, 'id')
    expect(wheel.stop()).toEqual([
      { callback, args: ['b'], remaining: 90 },
      { callback, args: ['c'], remaining: 90 },
      { callback: id, args: ['id'], remaining: 95 },
      { callback, args: ['a'], remaining: 100 },
    ])
    expect([group.size, group.touch(members[0]!), group.delete(members[1]!), [...group]]).toEqual([
      0,
      false,
      false,
      [],
    ])
    expect(thrownBy(() => group.add('d'))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    expect(thrownBy(() => wheel.group(callback, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    group.clear()
    group.delay = 5
    expect([group.stop(), group.delay]).toEqual([[], 5])
  })

  it('stops its wheel inside a callback', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    let left: unknown[] = []
    const group = wheel.group((item: number) => {
      ran.push(item)
      if (item === 1) left = wheel.stop().map(({ args }) => args[0])
    }, 10)
    for (let i = 0; i < 5; i++) group.add(i)
    wheel.advance(10)
    expect([ran, left, group.size]).toEqual([[0, 1], [2, 3, 4], 0])
  })

  it.each([100, 3_000, 20_000])('keeps its promises with %d members that are touched in turn', (size) => {
    const wheel = manualWheel(backend)
    let now = 0
    const due = new Map<number, number>()
    const wrong: number[] = []
    const group = wheel.group((item: number) => {
      if (due.get(item) !== now) wrong.push(item)
      due.delete(item)
    }, 40)
    const members = Array.from({ length: size }, (_, i) => {
      due.set(i, 40)
      return group.add(i)
    })
    for (let round = 0; round < 60; round++) {
      for (let i = round % 7; i < size; i += 7) if (group.touch(members[i]!)) due.set(i, now + 40)
      now++
      wheel.advance(1)
    }
    for (; due.size > 0 && now < 200; now++, wheel.advance(1));
    expect([wrong, due.size, group.size, wheel.pending]).toEqual([[], 0, 0, 0])
  })

  it('reuses its places: many rounds leave no memory behind', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(() => {}, 10)
    let last = 0
    for (let i = 0; i < scaled(50_000, 1_000_000); i++) {
      last = group.add(i)
      group.touch(last)
      group.delete(last)
    }
    expect([group.has(last), group.size, wheel.pending]).toEqual([false, 0, 0])
    wheel.trim()
    group.add('still works')
    expect([...group]).toEqual(['still works'])
  })

  it.each([
    [0.05, 0.2],
    [0.077, 0.3],
    [0.1, 0.3],
    [8, 10],
  ])('goes on with a tick of %d ms and a delay of %d ms, in scans of each tick', (tick, delay) => {
    const wheel = manualWheel(backend, { tick })
    let runs = 0
    const group = wheel.group((i: number) => {
      runs++
      group.add(i)
    }, delay)
    const members = Array.from({ length: 100 }, (_, i) => group.add(i))
    for (let i = 0; i < 400; i++) {
      for (const member of members) group.touch(member)
      wheel.advance(tick)
    }
    const before = runs
    wheel.advance(10 * delay)
    expect(runs - before).toBeGreaterThanOrEqual(400)
    wheel.stop()
  })

  it('lets other timers run between the parts of a scan', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(() => {}, 4_000)
    const size = scaled(20_000, 100_000)
    const members = Array.from({ length: size }, (_, i) => group.add(i))
    let beats = 0
    const beat = wheel.setInterval(() => beats++, 1)
    for (let i = 0; i < 10; i++) {
      wheel.advance(1_000)
      for (const member of members) group.touch(member)
    }
    expect([beats, group.size]).toEqual([10_000, size])
    beat.close()
    wheel.advance(5_000)
    expect([group.size, wheel.pending]).toEqual([0, 0])
  })

  it('gives its memory back by trim(), also right after its last member was deleted', () => {
    const wheel = manualWheel(backend)
    const { bytes } = wheel.stats()
    const group = wheel.group(() => {}, 10)
    const members = Array.from({ length: 100_000 }, (_, i) => group.add(i))
    expect(wheel.stats().bytes).toBeGreaterThan(2 * bytes)
    for (const member of members) group.delete(member)
    wheel.trim()
    expect(wheel.stats().bytes).toBe(bytes)
    expect(members.some((member) => group.touch(member))).toBe(false)
    group.add(1)
    wheel.advance(10)
    expect(wheel.pending).toBe(0)
  })

  it('schedules on another wheel from a callback, and the other way round', () => {
    const [one, two] = [manualWheel(backend), manualWheel(backend)]
    let left = 10
    const first = one.group((item: string) => {
      if (left-- > 0) second.add(item)
    }, 10)
    const second = two.group((item: string) => first.add(item), 10)
    first.add('x')
    for (let i = 0; i < 30; i++) {
      one.advance(10)
      two.advance(10)
    }
    expect([left, one.pending, two.pending]).toEqual([-1, 0, 0])
  })

  it.each([undefined, null, '8192', {}, 8192n, Symbol('s')])(
    'refuses a member that is not a number: %p',
    (member) => {
      const group = manualWheel(backend).group(() => {}, 10)
      group.add('x')
      for (const call of ['touch', 'has', 'delete'] as const) {
        const error = thrownBy(() => group[call](member as never))
        expect(error).toBeInstanceOf(TypeError)
        expect((error as Error).message).toMatch(/^member must be a number that add\(\) returned, got /)
        expect(error).toMatchObject({ code: TYPE })
      }
      expect(group.size).toBe(1)
    },
  )

  it('refuses a callback that is not a function', () => {
    const wheel = manualWheel(backend)
    for (const make of [wheel.group.bind(wheel), backend.timerGroup]) {
      expect(thrownBy(() => make('text' as never, 10))).toMatchObject({
        message: 'callback must be a function, got "text"',
        code: TYPE,
      })
    }
    expect(wheel.pending).toBe(0)
  })

  it('counts members for maxPending, and stores nothing beyond it', () => {
    const wheel = manualWheel(backend, { maxPending: 3 })
    const group = wheel.group((_: string) => {}, 10)
    const first = group.add('a')
    wheel.schedule(() => {}, 10)
    group.add('b')
    for (let i = 0; i < 3; i++) {
      expect(thrownBy(() => group.add('c'))).toMatchObject({ name: 'RangeError', code: 'ERR_WHEEL_LIMIT' })
      expect([[...group], wheel.pending, group.touch(first)]).toEqual([['a', 'b'], 3, true])
    }
    group.delete(first)
    group.add('d')
    expect([[...group], wheel.pending]).toEqual([['b', 'd'], 3])
    wheel.advance(10)
    for (const item of ['e', 'f', 'g']) group.add(item)
    expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
  })

  it('has groups on the shared wheel', () => {
    const group = backend.timerGroup((_: string) => {}, 60_000, { unref: true })
    const member = group.add('x')
    expect([group.touch(member), group.size, group.delay, [...group]]).toEqual([true, 1, 60_000, ['x']])
    expect(group.stop()).toEqual(['x'])
  })
})
