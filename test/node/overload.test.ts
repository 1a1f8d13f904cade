/**
 * Each turn has more timers than the budget allows. They keep up as Node's timers do, and I/O gets its turn. The clock moves
 * only when it is read, so the figures do not depend on the machine.
 */
import { describe, expect, it } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/** Runs a program that prints figures as JSON. */
async function measure<T>(script: string): Promise<T> {
  const outcome = await run(script, [], fineClock())
  expect(outcome).toMatchObject(CLEAN)
  return JSON.parse(outcome.lines[0]!)
}

/** Each turn sets `count` timers of `cost` milliseconds and does `other` milliseconds of other work. */
interface Load {
  count: number
  cost: number
  other: number
}

interface Figures {
  /** Timers that are pending at the end. */
  pending: number
  /** Milliseconds by which the latest timer was late. */
  late: number
  turns: number
  /** Messages that came back through a socket. */
  echoes: number
  /** Milliseconds that the longest turn took. */
  turn: number
}

const overload = (entry: string, { count, cost, other }: Load): Promise<Figures> =>
  measure(`
    import { setTimeout } from '${entry}'
    import { once } from 'node:events'
    import { connect, createServer } from 'node:net'
    import { setImmediate } from 'node:timers'
    const now = () => performance.now()
    const work = (ms) => { for (const end = now() + ms; now() < end;); }
    const server = createServer((socket) => socket.pipe(socket)).listen(0)
    await once(server, 'listening')
    const socket = connect(server.address().port)
    await once(socket, 'connect')
    let pending = 0, late = 0, turns = 0, echoes = 0, longest = 0
    socket.write('.')
    socket.on('data', (data) => {
      echoes++
      socket.write(data)
    })
    const started = now()
    let last = started
    function turn() {
      turns++
      longest = Math.max(longest, now() - last)
      last = now()
      for (let i = 0; i < ${count}; i++) {
        const due = now() + 1
        pending++
        setTimeout(() => {
          late = Math.max(late, now() - due)
          pending--
          work(${cost})
        }, 1)
      }
      work(${other})
      if (now() - started < 1_500) return setImmediate(turn)
      console.log(JSON.stringify({ pending, late, turns, echoes, turn: longest }))
      process.exit()
    }
    turn()`)

it.each([
  { count: 12, cost: 1, other: 5 },
  { count: 40, cost: 0.2, other: 2 },
  { count: 40, cost: 0.25, other: 5 },
])('keeps up with $count timers of $cost ms beside $other ms of other work in each turn', async (load) => {
  const native = await overload('node:timers', load)
  for (const entry of ENTRIES) {
    const ours = await overload(entry, load)
    const holds = {
      late: ours.late <= native.late + 100,
      // Slices keep to the budget until a timer is this late.
      budget: ours.late > 50,
      // At most the timers that are set in 100 ms.
      pending: ours.pending <= native.pending + (load.count * 100) / (load.count * load.cost + load.other),
      turns: ours.turns >= native.turns / 2,
      // A message takes two turns: there and back.
      echoes: ours.echoes >= ours.turns / 4,
      turn: ours.turn <= 2 * native.turn,
    }
    const all = { late: true, budget: true, pending: true, turns: true, echoes: true, turn: true }
    expect({ entry, native, ours, ...holds }).toEqual({ entry, native, ours, ...all })
  }
})

/** Milliseconds that each reading of the clock takes. */
const READING = 0.02

/**
 * Runs a burst of timers, each of which reads the clock once, beside 0.5 ms of other work in each turn. Returns the largest
 * number of them that ran in one turn. V8 reads the clock too: that makes slices only shorter.
 */
const burst = (entry: string, budget: number, count: number): Promise<number> =>
  measure(`
    import { TimerWheel } from '${entry}'
    import { setImmediate } from 'node:timers'
    const now = () => performance.now()
    const wheel = new TimerWheel({ budget: ${budget} })
    let left = ${count}, before = left, most = 0
    for (let i = 0; i < ${count}; i++) wheel.setTimeout(() => { left--; now() }, 300)
    function turn() {
      most = Math.max(most, before - left)
      before = left
      for (const end = now() + 0.5; now() < end;);
      for (let i = 0; i < 3; i++) wheel.setTimeout(() => {}, 100)
      if (left > 0) return setImmediate(turn)
      console.log(most)
      process.exit()
    }
    setImmediate(turn)`)

describe.each(ENTRIES)('a burst on %s', (entry) => {
  it.each([
    // Few enough that none is late by 50 ms: slices of later timers can exceed the budget.
    ['ends a slice once it exceeds the budget', 1, 1_000],
    // One second in total.
    ['takes no longer slices if other work is short, however late its timers are', 5, 50_000],
  ])('%s', async (_title, budget, count) => {
    // The wheel may read the clock only every 64 callbacks.
    expect(await burst(entry, budget, count)).toBeLessThanOrEqual(budget / READING + 64)
  })
})
