/** The cost that the benchmark finds for the operations of a turn. */
import { inBench } from './in-bench.js'

it('finds what work and pending timers add to turns, by turns without both', async () => {
  const { added, turns } = await inBench<{ added: number; turns: number[] }>(`
    import { addedTimeWith } from './runner/added-time.mjs'
    // A turn takes 100, a turn with pending timers 7 more, and the work of a turn 30.
    let now = 0
    let isPending = false
    let worked = 0
    const turns = new Map()
    const nextTurn = (callback) => setImmediate(() => {
      now += isPending ? 107 : 100
      turns.set(isPending, (turns.get(isPending) ?? 0) + 1)
      callback()
    })
    const addedTime = addedTimeWith(nextTurn, () => now)
    const added = await addedTime(1_000, {
      begin: () => { isPending = true },
      work: () => { now += 30; worked++ },
      end: () => { isPending = false },
    })
    show({ added, turns: [worked, turns.get(true) > 0, turns.get(false) > 0] })`)
  expect(added).toBeCloseTo(37)
  expect(turns).toEqual([1000, true, true])
})
