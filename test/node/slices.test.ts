/** Slices: wheels take their turns, count those that overrun, go on after errors, and keep up as the timers of Node do. */
import { fineClock, virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES, PROMISES } from './backends.js'
import { run } from './child.js'
import { printsInOneProcess, printsWith } from './prints.js'

const WORK = 'const work = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); }'

describe.each(ENTRIES)('%s', (entry) => {
  const inOne = printsInOneProcess({
    prelude: `
      import { clearTimeout, setInterval, setTimeout, stats, TimerWheel } from '${entry}'
      const entry = '${entry}'
      ${PROMISES}
      ${WORK}
      const fail = () => { throw new Error('thrown') }`,
    env: fineClock(),
  })
  inOne(`
    # counts the timers of the shared wheel, without opening it -> 0,0,0,0,0,false | 2,3,0,1,0,true | 0,4,5,2,0,true
    const show = () => {
      const { pending, scheduled, fired, cancelled, overruns, bytes } = stats()
      console.log([pending, scheduled, fired, cancelled, overruns, bytes > 0].join())
    }
    show()
    clearTimeout(setTimeout(() => {}, 1000))
    setTimeout(() => {}, 1).refresh()
    let runs = 0
    const ended = new Promise((resolve) => {
      const interval = setInterval(() => { if (++runs === 3) resolve(clearTimeout(interval)) }, 1)
    })
    show()
    await ended
    await promises.setTimeout(5)
    show()
    # counts callbacks that take twice the budget, but none without a budget -> 1 | 0 | 0
    const wheels = [{ budget: 20 }, { budget: Infinity }, { driver: 'manual' }].map((options) => new TimerWheel(options))
    for (const wheel of wheels) wheel.schedule(() => work(40), 2)
    wheels[2].advance(2)
    process.once('beforeExit', () => { for (const wheel of wheels) console.log(wheel.stats().overruns) })
    # runs later timers after the rest of a burst was cleared between two slices, or by a tick of its last callback -> 0 3 | 0 3
    for (const clearLater of [setImmediate, process.nextTick]) {
      const wheel = new TimerWheel({ budget: 2 })
      let runs = 0
      const run = () => { work(3); if (runs++ === 0) clearLater(() => wheel.clear()) }
      for (let i = 0; i < 50; i++) wheel.schedule(run, 1)
      await promises.setTimeout(20)
      const left = wheel.pending
      runs = 0
      for (let i = 0; i < 3; i++) wheel.schedule(() => runs++, 1)
      await promises.setTimeout(20)
      console.log(left, runs)
      wheel.stop()
    }
    # gives every wheel its turn if all of them exceed their budget -> 2000,2000,2000 true
    const wheels = [1, 10, 1].map((tick) => new TimerWheel({ tick, budget: 0.5 }))
    const ran = wheels.map(() => 0)
    let least
    const run = (n) => { work(0.02); if (++ran[n] === 2_000) least ??= Math.min(...ran) }
    wheels.forEach((wheel, n) => { for (let i = 0; i < 2_000; i++) wheel.schedule(run, 1, n) })
    process.once('beforeExit', () => console.log(ran.join(), least > 0))
    # reports the errors of thousands of callbacks, and runs all other callbacks in order -> 6000 true
    const wheel = new TimerWheel()
    const seen = []
    const expected = []
    process.on('uncaughtException', ({ message }, origin) => seen.push(message + ', ' + origin))
    for (let i = 0; i < 2_000; i++) {
      wheel.schedule(() => { throw new Error('scheduled ' + i) }, 5)
      wheel.schedule(() => seen.push('ran ' + i), 5)
      wheel.setTimeout(() => { throw new Error('set ' + i) }, 5)
      expected.push('scheduled ' + i + ', uncaughtException', 'ran ' + i, 'set ' + i + ', uncaughtException')
    }
    process.once('beforeExit', () => console.log(seen.length, seen.join() === expected.join()))
    # runs timers that the handler of an error sets, and stops a wheel that it stops -> stopped 2 | set by the handler
    const wheel = new TimerWheel()
    process.on('uncaughtException', () => {
      console.log('stopped', wheel.stop().length)
      setTimeout(() => console.log('set by the handler'), 5)
    })
    wheel.schedule(fail, 5)
    wheel.schedule(() => console.log('due in the same tick'), 5)
    wheel.schedule(() => console.log('due later'), 50)
    # runs the rest at once after a callback threw, if the handler was set in that slice -> thrown | the rest true
    const started = performance.now()
    setTimeout(() => process.on('uncaughtException', ({ message }) => console.log(message)), 10)
    setTimeout(fail, 10)
    setTimeout(() => {
      console.log('the rest', performance.now() - started < 2000)
      clearTimeout(later)
    }, 10)
    const later = setTimeout(() => {}, 3000)`)
})

/** Each turn sets timers, and a message goes back and forth through a socket. Prints, after a while, what the test compares. */
const overload = (entry: string, count: number, cost: number, other: number): string => `
  import { setTimeout } from '${entry}'
  import { once } from 'node:events'
  import { connect, createServer } from 'node:net'
  import { setImmediate } from 'node:timers'
  ${WORK}
  const now = () => performance.now()
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
    console.log(JSON.stringify({ pending, late, turns, echoes, longest }))
    process.exit()
  }
  turn()`

it.each([
  [12, 1, 5],
  [40, 0.2, 2],
])('keeps up with %d timers of %d ms beside %d ms of other work in each turn', async (...load) => {
  const [count, cost, other] = load
  const figuresOn = async (entry: string): Promise<Record<string, number>> => {
    const { lines, ...rest } = await run(overload(entry, ...load), [], fineClock())
    expect(rest).toEqual(CLEAN)
    return JSON.parse(lines[0]!)
  }
  const [native, ...all] = await Promise.all(['node:timers', ...ENTRIES].map(figuresOn))
  for (const ours of all) {
    expect(ours.late).toBeLessThanOrEqual(native!.late! + 100)
    // Slices keep to the budget until a timer is this late.
    expect(ours.late).toBeGreaterThan(50)
    // At most the timers that are set in 100 ms.
    expect(ours.pending).toBeLessThanOrEqual(native!.pending! + (count * 100) / (count * cost + other))
    expect(ours.turns).toBeGreaterThanOrEqual(native!.turns! / 2)
    // A message takes two turns: there and back.
    expect(ours.echoes).toBeGreaterThanOrEqual(ours.turns! / 4)
    expect(ours.longest).toBeLessThanOrEqual(2 * native!.longest!)
  }
})

// Node's timers do not.
const prints = printsWith([], virtualClock())
for (const entry of ENTRIES)
  prints(`
    # lets I/O have its turn, however long timers and microtasks work: ${entry} -> 5
    import { stat } from 'node:fs'
    const entry = '${entry}'
    ${PROMISES}
    let turns = 0
    const end = performance.now() + 2000
    const poll = () => { if (++turns < 5) stat('.', poll) }
    stat('.', poll)
    const work = async () => {
      while (turns < 5 && performance.now() < end) {
        await promises.setTimeout(1)
        for (const until = performance.now() + 2; performance.now() < until;);
      }
    }
    await Promise.all([work(), work()])
    console.log(turns)`)

const printsFine = printsWith([], fineClock())
for (const entry of ENTRIES)
  printsFine(`
    # gives late intervals two fifths of the time beside other work: ${entry} -> true
    import { setInterval } from '${entry}'
    import { setImmediate } from 'node:timers'
    ${WORK}
    let worked = 0
    for (let i = 0; i < 200; i++) setInterval(() => { work(1); worked++ }, 1)
    const started = performance.now()
    function turn() {
      const elapsed = performance.now() - started
      if (elapsed < 2000) {
        work(20)
        return setImmediate(turn)
      }
      console.log(worked > 0.4 * elapsed)
      process.exit()
    }
    turn()
    # runs a burst for no longer than it is late, although other work has set thousands of timers: ${entry} -> true true
    import { setTimeout } from '${entry}'
    import { setImmediate } from 'node:timers'
    ${WORK}
    const started = performance.now()
    let ran = 0, turns = 0, longest = 0, ended = started
    for (let i = 0; i < 1_000; i++) setTimeout(() => { work(1); ran++ }, 1)
    function turn() {
      longest = Math.max(longest, performance.now() - ended)
      // The burst is late by about 120 ms then.
      if (++turns === 20) for (let i = 0; i < 10_000; i++) setTimeout(() => {}, 60_000)
      ended = performance.now()
      if (ran < 1_000) return setImmediate(turn)
      console.log(longest > 50, longest < 200)
      process.exit()
    }
    turn()
    # does not count the slices of another late wheel as other work: ${entry} -> true
    import { TimerWheel } from '${entry}'
    import { setImmediate } from 'node:timers'
    ${WORK}
    const wheels = [new TimerWheel(), new TimerWheel()]
    for (let i = 0; i < 500; i++) for (const wheel of wheels) wheel.schedule(() => work(1), 1)
    let longest = 0, ended = performance.now()
    function turn() {
      longest = Math.max(longest, performance.now() - ended)
      work(5)
      ended = performance.now()
      if (wheels[0].pending > 0) return setImmediate(turn)
      // Two slices, each as long as the other work.
      console.log(longest < 20)
      process.exit()
    }
    turn()`)
