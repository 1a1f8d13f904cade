/** White-box: groups in states that public calls would take too long to reach. */
import { expect, it } from '@jest/globals'
import type { TimerGroup } from '../../lib/api/group.js'
import { openGroup } from '../../lib/node/group/group.js'
import { LAST_ROUND, USED_UP } from '../../lib/node/group/members.js'
import { PER_GENERATION } from '../../lib/node/scheduler/id-timers.js'
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

const placeOf = (member: number): number => member % PER_GENERATION

/** A group with a member, and the columns of its wheel. */
function openColumns() {
  const { group } = open()
  const first = group.add(-1)
  const { pool } = group as unknown as { pool: { generations: Uint16Array; rounds: Uint16Array } }
  return { group, first, ...pool }
}

it('does not use a place again whose numbers are used up, while its span has a member', () => {
  const { group, first, generations } = openColumns()
  generations[1] = USED_UP - 2
  const last = group.add(0)
  expect([group.has(last), group.delete(last), group.has(last)]).toEqual([true, true, false])
  expect(addTo(group, 100).map(placeOf)).not.toContain(placeOf(last))
  expect([group.has(first), group.size]).toEqual([true, 101])
})

it('uses all places of a span again, with other numbers, when the numbers of all are used up', () => {
  const { group, first, generations } = openColumns()
  group.delete(first)
  generations.fill(USED_UP - 2, 0, 8)
  const last = addTo(group, 8)
  group.clear()
  const members = addTo(group, 8)
  expect(new Set(members.map(placeOf))).toEqual(new Set(last.map(placeOf)))
  expect(Math.max(...last)).toBeLessThan(Math.min(...members))
  for (const number of [first, ...last, ...members]) expect(group.has(number)).toBe(members.includes(number))
})

it('leaves a span alone after its last round', () => {
  const { group, first, generations, rounds } = openColumns()
  group.delete(first)
  generations.fill(USED_UP - 2, 0, 8)
  rounds[0] = LAST_ROUND
  const last = addTo(group, 8)
  group.clear()
  const members = addTo(group, 20)
  expect([...last, ...members].every(Number.isSafeInteger)).toBe(true)
  expect(Math.min(...members.map(placeOf)) - placeOf(first)).toBeGreaterThanOrEqual(8)
  expect([group.size, last.some((number) => group.has(number))]).toEqual([20, false])
})
