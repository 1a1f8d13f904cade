/**
 * Each turn has more timers than the budget allows. They keep up as Node's timers do, and I/O gets its turn. The clock moves
 * only when it is read, so the figures do not depend on the machine.
 */
import { expect, it } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/** Each turn sets `count` timers of `cost` milliseconds and does `other` milliseconds of other work. */
type Load = Record<'count' | 'cost' | 'other', number>

/**
 * The timers that are pending at the end, the milliseconds by which the latest was late, the turns, the messages that came
 * back through a socket, and the milliseconds that the longest turn took.
 */
type Figures = Record<'pending' | 'late' | 'turns' | 'echoes' | 'turn', number>

async function overload(entry: string, { count, cost, other }: Load): Promise<Figures> {
  const script = `
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
    turn()`
  const outcome = await run(script, [], fineClock())
  expect(outcome).toMatchObject(CLEAN)
  return JSON.parse(outcome.lines[0]!)
}

it.each([
  { count: 12, cost: 1, other: 5 },
  { count: 40, cost: 0.2, other: 2 },
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
