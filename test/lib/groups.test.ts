/** White-box: groups in states that public calls would take too long to reach. */
import { describe, expect, it } from '@jest/globals'
import type { TimerGroup } from '../../lib/api/group.js'
import { openGroup } from '../../lib/node/group/group.js'
import { inside, TestWheel } from './test-wheel.js'

const LAST_ORDER = 2 ** 30 - 128

function groupOn(wheel: TestWheel, onExpire: (item: number) => unknown, delay: number): TimerGroup<number> {
  return openGroup(() => wheel.scheduler, onExpire, delay, undefined)
}

describe('when order numbers start again', () => {
  it.each([10, 1_000])('each of %d members counts from its own touch', (size) => {
    const wheel = new TestWheel()
    const ran: [number, number][] = []
    const group = groupOn(wheel, (item) => ran.push([item, wheel.now]), 100)
    const members = Array.from({ length: size }, (_, i) => group.add(i))
    wheel.endTurn()
    const due = new Map<number, number>()
    for (let time = 1; time <= 10; time++) {
      wheel.goTo(time)
      for (let i = time; i < size; i += 10) {
        group.touch(members[i]!)
        due.set(i, time + 100)
      }
      wheel.endTurn()
    }
    inside(wheel).order = LAST_ORDER + 1
    wheel.goTo(50)
    group.touch(members[5]!)
    due.set(5, 150)
    wheel.endTurn()
    expect(inside(wheel).order).toBeLessThan(size + 100)
    for (let time = 51; time <= 200; time++) wheel.goTo(time)
    expect(new Map(ran)).toEqual(new Map([...due].concat(due.has(0) ? [] : [[0, 100]])))
    expect(ran.length).toBe(size)
  })
})

it('looks for the first member again when order numbers have started again', () => {
  const wheel = new TestWheel()
  const ran: [string, number][] = []
  const group = openGroup<string>(
    () => wheel.scheduler,
    (item) => ran.push([item, wheel.now]),
    100,
    undefined,
  )
  for (let n = 0; n < 3; n++) wheel.set(() => {}, 5_000)
  const first = group.add('p')
  wheel.endTurn()
  wheel.goTo(2)
  group.add('q')
  wheel.endTurn()
  // The group looks for its first member.
  group.delay = 99
  const { order } = inside(wheel)
  group.delete(first)
  inside(wheel).order = LAST_ORDER + 1
  wheel.goTo(40)
  // A member that takes the place of the deleted one, and its order number, is not the first.
  for (let n = 0; n < 10 && inside(wheel).order !== order - 2; n++) wheel.set(() => {}, 5_000)
  group.add('r')
  wheel.endTurn()
  for (let time = 41; time <= 200; time++) wheel.goTo(time)
  expect(ran.map(([item]) => item)).toEqual(['q', 'r'])
  expect(ran[0]![1]).toBeLessThanOrEqual(102)
})

describe('when the numbers of places are used up', () => {
  const PLACE_MASK = 2 ** 27 - 1

  interface Columns {
    uses: Uint16Array
    bases: Float64Array
  }

  /** A group with a member, and the columns of its wheel. */
  function open() {
    const wheel = new TestWheel()
    const group = groupOn(wheel, () => {}, 100)
    const first = group.add(-1)
    return { group, first, columns: wheel.scheduler.pool as unknown as Columns }
  }

  it('does not use a place again while its span has a member', () => {
    const { group, columns } = open()
    const member = group.add(0)
    columns.uses[1] = 2 ** 16 - 5
    const last = member + (2 ** 15 - 3) * 2 ** 27
    expect([group.has(member), group.delete(last), group.has(last)]).toEqual([false, true, false])
    const others = Array.from({ length: 100 }, (_, i) => group.add(i))
    expect(others.map((other) => other & PLACE_MASK)).not.toContain(member & PLACE_MASK)
    expect([group.size, [...group].length]).toEqual([101, 101])
  })

  it('uses all places of a span again, with other numbers, when none has a number left', () => {
    const { group, first, columns } = open()
    const numbers = new Set([first])
    group.delete(first)
    columns.uses.fill(2 ** 16 - 6, 0, 8)
    const add = () => {
      const member = group.add(0)
      expect([numbers.has(member), Number.isSafeInteger(member), group.touch(member)]).toEqual([
        false,
        true,
        true,
      ])
      numbers.add(member)
      return member
    }
    // Each place has one number left. Without another epoch, the places of another span would be used.
    for (let n = 0; n < 8; n++) group.delete(add())
    const members = Array.from({ length: 8 }, add)
    expect(new Set(members.map((member) => member & PLACE_MASK)).size).toBe(8)
    expect(members.map((member) => member & PLACE_MASK)).toContain(first & PLACE_MASK)
    expect(columns.bases[0]! - columns.bases[1]! + 8).toBe(2 ** 42)
    for (const number of numbers) expect(group.has(number)).toBe(members.includes(number))
  })

  it('starts another epoch of a span that a group gives back', () => {
    const { group, first, columns } = open()
    columns.uses[1] = 2 ** 16 - 4
    const second = group.add(1)
    expect((second & PLACE_MASK) - (first & PLACE_MASK)).toBe(2)
    group.clear()
    const members = Array.from({ length: 8 }, (_, i) => group.add(i))
    expect(members.map((member) => (member & PLACE_MASK) - (first & PLACE_MASK))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ])
    expect([group.has(first), group.has(second), group.size]).toEqual([false, false, 8])
  })

  it('leaves a span alone after its last epoch', () => {
    const { group, first, columns } = open()
    group.delete(first)
    columns.uses.fill(2 ** 16 - 4, 0, 8)
    columns.bases[0] = columns.bases[0]! + 1023 * 2 ** 42
    const members = Array.from({ length: 20 }, (_, i) => group.add(i))
    for (const member of members) {
      expect((member & PLACE_MASK) - (first & PLACE_MASK)).toBeGreaterThanOrEqual(8)
      expect(Number.isSafeInteger(member)).toBe(true)
    }
    expect([...group]).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })
})

describe('when the adds have been counted to the end', () => {
  it('keeps the order of adding, and ends iterations that have begun', () => {
    const wheel = new TestWheel()
    const group = groupOn(wheel, () => {}, 100)
    const first = Array.from({ length: 50 }, (_, i) => group.add(i))
    group.delete(first[10]!)
    const begun = group[Symbol.iterator]()
    begun.next()
    ;(group as unknown as { added: number }).added = 2 ** 26
    group.add(50)
    group.add(51)
    const items = Array.from({ length: 52 }, (_, i) => i).filter((i) => i !== 10)
    expect([...group]).toEqual(items)
    // Nothing is seen twice.
    const rest = [...begun]
    expect(new Set(rest).size).toBe(rest.length)
  })
})
