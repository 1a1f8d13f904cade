/**
 * Each turn has more timers than the budget allows. They keep up as Node's timers do, and I/O gets its turn. The clock moves
 * only when it is read, so the figures do not depend on the machine.
 */
import { describe, expect, it } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

interface Outcome {
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

/** Each turn sets `count` timers of `cost` milliseconds and does `other` milliseconds of other work. */
interface Load {
  count: number
  cost: number
  other: number
}

/** Milliseconds. */
const LENGTH = 3_000

async function overload(entry: string, { count, cost, other }: Load): Promise<Outcome> {
  const outcome = await run(
    `
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
      if (now() - started < ${LENGTH}) return setImmediate(turn)
      console.log(JSON.stringify({ pending, late, turns, echoes, turn: longest }))
      process.exit()
    }
    turn()
  `,
    [],
    fineClock(),
  )
  expect(outcome).toMatchObject(CLEAN)
  return JSON.parse(outcome.lines[0]!)
}

it.each([
  { count: 12, cost: 1, other: 5 },
  { count: 40, cost: 0.2, other: 2 },
  { count: 40, cost: 0.25, other: 5 },
])('keeps up with $count timers of $cost ms beside $other ms of other work in each turn', async (load) => {
  const native = await overload('node:timers', load)
  for (const entry of ENTRIES) {
    const ours = await overload(entry, load)
    const perTurn = load.count * load.cost + load.other
    const figures = { entry, native, ours }
    expect({ ...figures, holds: ours.late <= native.late + 100 }).toEqual({ ...figures, holds: true })
    // Slices keep to the budget until a timer is this late.
    expect({ ...figures, holds: ours.late > 50 }).toEqual({ ...figures, holds: true })
    // At most the timers that are set in 100 ms.
    const most = native.pending + (load.count * 100) / perTurn
    expect({ ...figures, holds: ours.pending <= most }).toEqual({ ...figures, holds: true })
    // A message takes two turns: there and back.
    const turns = ours.turns >= native.turns / 2 && ours.echoes >= ours.turns / 4
    expect({ ...figures, holds: turns }).toEqual({ ...figures, holds: true })
    expect({ ...figures, holds: ours.turn <= 2 * native.turn }).toEqual({ ...figures, holds: true })
  }
})

/** Milliseconds that each reading of the clock takes. */
const READING = 0.02

/**
 * Runs a burst of timers, each of which reads the clock once, beside 0.5 ms of other work in each turn. Returns the largest
 * number of them that ran in one turn. V8 reads the clock too: that makes slices only shorter.
 */
async function burst(entry: string, budget: number, count: number): Promise<{ most: number }> {
  const outcome = await run(
    `
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
      console.log(JSON.stringify({ most }))
      process.exit()
    }
    setImmediate(turn)
  `,
    [],
    fineClock(),
  )
  expect(outcome).toMatchObject(CLEAN)
  return JSON.parse(outcome.lines[0]!)
}

describe.each(ENTRIES)('a burst on %s', (entry) => {
  it('ends a slice once it exceeds the budget', async () => {
    // Few enough that none is late by 50 ms: slices of later timers can exceed the budget.
    const { most } = await burst(entry, 1, 1000)
    // The wheel may read the clock only every 64 callbacks.
    expect(most).toBeLessThanOrEqual(1 / READING + 64)
  })

  it('takes no longer slices if other work is short, however late its timers are', async () => {
    // One second in total.
    const { most } = await burst(entry, 5, 50_000)
    expect(most).toBeLessThanOrEqual(5 / READING + 64)
  })
})
