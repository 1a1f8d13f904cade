/** White-box: groups in states that public calls would take too long to reach. */
import { expect, it } from '@jest/globals'
import type { TimerGroup } from '../../lib/api/group.js'
import { openGroup } from '../../lib/node/group/group.js'
import { inside, TestWheel } from './test-wheel.js'

const LAST_ORDER = 2 ** 30 - 128

/** Makes a group with a delay of 100 ms, and a list of its runs. */
function open(wheel = new TestWheel()) {
  const ran: [item: number, time: number][] = []
  const group = openGroup<number>(
    () => wheel.scheduler,
    (item) => ran.push([item, wheel.now]),
    100,
    undefined,
  )
  return { wheel, ran, group }
}

const addTo = (group: TimerGroup<number>, count: number): number[] =>
  Array.from({ length: count }, (_, i) => group.add(i))

it.each([10, 1_000])('counts for each of %d members from its touch when orders start again', (size) => {
  const { wheel, ran, group } = open()
  const members = addTo(group, size)
  const due = new Array<number>(size).fill(100)
  wheel.endTurn()
  for (let time = 1; time <= 10; time++) {
    wheel.goTo(time)
    for (let i = time; i < size; i += 10) {
      group.touch(members[i]!)
      due[i] = time + 100
    }
    wheel.endTurn()
  }
  inside(wheel).order = LAST_ORDER + 1
  wheel.goTo(50)
  group.touch(members[5]!)
  due[5] = 150
  wheel.endTurn()
  expect(inside(wheel).order).toBeLessThan(size + 100)
  wheel.goTo(200)
  expect(ran.sort(([a], [b]) => a - b)).toEqual([...due.entries()])
})

it('looks for the first member again when order numbers start again', () => {
  const { wheel, ran, group } = open()
  for (let n = 0; n < 3; n++) wheel.set(() => {}, 5_000)
  const first = group.add(0)
  wheel.endTurn()
  wheel.goTo(2)
  group.add(1)
  wheel.endTurn()
  // The group looks for its first member.
  group.delay = 99
  const { order } = inside(wheel)
  group.delete(first)
  inside(wheel).order = LAST_ORDER + 1
  wheel.goTo(40)
  // A member that takes the place of the deleted one, and its order number, is not the first.
  for (let n = 0; n < 10 && inside(wheel).order !== order - 2; n++) wheel.set(() => {}, 5_000)
  group.add(2)
  wheel.endTurn()
  wheel.goTo(200)
  expect(ran.map(([item]) => item)).toEqual([1, 2])
  expect(ran[0]![1]).toBeLessThanOrEqual(102)
})

const placeOf = (member: number): number => member & (2 ** 27 - 1)

/** A group with a member, and the columns of its wheel. */
function openColumns() {
  const { wheel, group } = open()
  const columns = wheel.scheduler.pool as unknown as { uses: Uint16Array; spans: Int32Array }
  return { group, first: group.add(-1), columns }
}

it('does not use a place again while its span has a member', () => {
  const { group, columns } = openColumns()
  const member = group.add(0)
  columns.uses[1] = 2 ** 16 - 5
  const last = member + (2 ** 15 - 3) * 2 ** 27
  expect([group.has(member), group.delete(last), group.has(last)]).toEqual([false, true, false])
  expect(addTo(group, 100).map(placeOf)).not.toContain(placeOf(member))
  expect([group.size, [...group].length]).toEqual([101, 101])
})

it('uses all places of a span again, with other numbers, when none has a number left', () => {
  const { group, first, columns } = openColumns()
  const numbers = new Set([first])
  group.delete(first)
  columns.uses.fill(2 ** 16 - 6, 0, 8)
  const add = () => {
    const member = group.add(0)
    expect(!numbers.has(member) && Number.isSafeInteger(member) && group.touch(member)).toBe(true)
    numbers.add(member)
    return member
  }
  // Each place has one number left. Without another round, the places of another span would be used.
  for (let n = 0; n < 8; n++) group.delete(add())
  const members = Array.from({ length: 8 }, add)
  const places = new Set(members.map(placeOf))
  expect([places.size, places.has(placeOf(first))]).toEqual([8, true])
  expect(Math.min(...members) - first).toBe(2 ** 42)
  for (const number of numbers) expect(group.has(number)).toBe(members.includes(number))
})

it('leaves places that are set aside alone when a group gives their span back', () => {
  const { group, first, columns } = openColumns()
  columns.uses[1] = 2 ** 16 - 4
  const second = group.add(1)
  expect(placeOf(second) - placeOf(first)).toBe(2)
  group.clear()
  const places = addTo(group, 7).map((member) => placeOf(member) - placeOf(first))
  expect(places).toEqual([0, 2, 3, 4, 5, 6, 7])
  expect([group.has(first), group.has(second), group.size]).toEqual([false, false, 7])
})

it('leaves a span alone after its last round', () => {
  const { group, first, columns } = openColumns()
  group.delete(first)
  columns.uses.fill(2 ** 16 - 4, 0, 8)
  columns.spans[0] = columns.spans[0]! + 255
  const members = addTo(group, 20)
  expect(Math.min(...members.map(placeOf)) - placeOf(first)).toBeGreaterThanOrEqual(8)
  expect(members.every(Number.isSafeInteger)).toBe(true)
  expect([...group]).toEqual([...members.keys()])
})

it('keeps the order of adding when the adds have been counted to the end, and ends iterations that have begun', () => {
  const { group } = open()
  group.delete(addTo(group, 50)[10]!)
  const begun = group[Symbol.iterator]()
  begun.next()
  ;(group as unknown as { added: number }).added = 2 ** 26
  group.add(50)
  group.add(51)
  expect([...group]).toEqual([...new Array(52).keys()].filter((i) => i !== 10))
  // Nothing is seen twice.
  const rest = [...begun]
  expect(new Set(rest).size).toBe(rest.length)
})
