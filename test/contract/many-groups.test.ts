/** Members of many groups are due in turn: the record of a group takes another place among those of all groups for each member. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it.each([3, 6_000])('runs the members of %d groups in the order of their deadlines', (count) => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    const groups = Array.from({ length: count }, (_, i) =>
      wheel.group((item: number) => ran.push(item), 100 + (i % 3)),
    )
    const due: [number, number][] = []
    let added = 0
    for (let round = 0; round < 20; round++) {
      for (const group of groups) {
        group.add(added)
        due.push([wheel.now + group.delay, added++])
      }
      // Ten members of each group are due in the same tick.
      if (round % 10 === 9) wheel.advance(1)
    }
    // All are due at once.
    while (wheel.pending > 0) wheel.advance(500)
    due.sort(([a, first], [b, second]) => a - b || first - second)
    expect(ran).toEqual(due.map(([, item]) => item))
    const { fired, pending } = wheel.stats()
    expect([fired, pending]).toEqual([added, 0])
  })
})
