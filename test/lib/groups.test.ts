/** White-box: groups in states that public calls would take too long to reach. */
import { describe, expect, it } from '@jest/globals'
import { Group } from '../../lib/node/group/group.js'
import { LAST_SERIAL, MEMBER_STEP, PLACE_MASK, SERIAL } from '../../lib/node/group/member-pool.js'
import { inside, TestWheel } from './test-wheel.js'

const LAST_ORDER = 2 ** 30 - 128

function groupOn(wheel: TestWheel, onExpire: (item: number) => unknown, delay: number): Group<number> {
  return new Group(onExpire, delay, undefined, () => {
    wheel.scheduler.openPool()
    return wheel.scheduler
  })
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
  const group = new Group<string>(
    (item) => ran.push([item, wheel.now]),
    100,
    undefined,
    () => {
      wheel.scheduler.openPool()
      return wheel.scheduler
    },
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

describe('when the numbers of a place are used up', () => {
  it('does not use the place again', () => {
    const wheel = new TestWheel()
    const group = groupOn(wheel, () => {}, 100)
    group.add(-1)
    const member = group.add(0)
    const place = member & PLACE_MASK
    const { pool } = wheel.scheduler
    pool.wordsAt(place)[((place & 8191) << 2) | SERIAL] = LAST_SERIAL - 1
    const last = (LAST_SERIAL - 1) * MEMBER_STEP + place
    expect(Number.isSafeInteger(last)).toBe(true)
    expect([group.has(member), group.delete(last)]).toEqual([false, true])
    const others = Array.from({ length: 100 }, (_, i) => group.add(i))
    expect(others.map((other) => other & PLACE_MASK)).not.toContain(place)
    expect([group.size, [...group].length]).toEqual([101, 101])
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
