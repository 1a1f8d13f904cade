/**
 * A stack overflow or a time limit of `vm` can interrupt any call. Timers of that wheel can be late then. But memory stays safe, later
 * calls work, and the process ends.
 */
import { scaled } from '../scale.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/** The number of timers for which a new wheel has room. */
const MOST = 36_703

/** An operation for each public function, on objects that a later operation can find as an earlier one has left them. */
const OPERATIONS = (entry: string) => `
  import * as timers from '${entry}'
  const { TimerWheel, TimeoutMap } = timers
  const ignore = () => {}
  // Node loads these classes at their first use. If a time limit ends that, they stay undefined.
  void [AbortController, AbortSignal]
  // The error of a signal or a promise that expires is expected.
  process.on('unhandledRejection', ignore)
  const newWheels = () => [{}, { tick: 3, maxPending: 1e6 }, { asyncContext: false }].map((options) => new TimerWheel(options))
  const wheels = newWheels()
  const any = (list) => list[Math.floor(Math.random() * list.length)]
  const keep = (list, made) => { list[Math.floor(Math.random() * 64)] = made; return made }
  const handles = [timers.setTimeout(ignore, 5)], ids = [0], members = [0]
  const groups = [...wheels.map((wheel) => wheel.group(ignore, 5)), timers.timerGroup(ignore, 5)]
  const maps = [{}, { wheel: wheels[0], max: 9 }, { onExpire: ignore, max: 9 }, { onExpire: ignore }]
    .map((options, i) => new TimeoutMap({ ttl: 5, dispose: i % 2 ? undefined : ignore, ...options }))
  const key = () => Math.floor(Math.random() * 20)
  const delay = () => 1 + Math.random() * 9
  const operations = {
    setTimeout: () => keep(handles, timers.setTimeout(ignore, delay(), 1)),
    setInterval: () => timers.setInterval(function () { this.close() }, delay()),
    setLongTimeout: () => timers.setLongTimeout(ignore, delay()),
    clearTimeout: () => timers.clearTimeout(any(handles)),
    number: () => timers.clearTimeout(+any(handles)),
    refresh: () => any(handles)?.refresh(),
    'refresh with a delay': () => any(handles)?.refresh(delay()),
    references: () => any(handles)?.unref().ref().hasRef(),
    'wheel.setTimeout': () => keep(handles, any(wheels).setTimeout(ignore, delay())),
    'wheel.setInterval': () => keep(handles, any(wheels).setInterval(ignore, { delay: 4, drift: false })),
    schedule: () => keep(ids, any(wheels).schedule(ignore, delay())),
    cancel: () => any(wheels).cancel(any(ids) ?? 0),
    reschedule: () => any(wheels).reschedule(any(ids) ?? 0, delay()),
    add: () => keep(members, any(groups).add(1)),
    touch: () => any(groups).touch(any(members) ?? 0),
    delete: () => any(groups).delete(any(members) ?? 0),
    'group.clear': () => any(groups).clear(),
    'map.set': () => any(maps).set(key(), 1),
    'map.get': () => any(maps).get(key()),
    'map.delete': () => any(maps).delete(key()),
    'map.clear': () => any(maps).clear(),
    signal: () => timers.timeoutSignal(delay()).refresh(),
    withTimeout: () => void timers.withTimeout(new Promise(ignore), delay()).catch(ignore),
    promise: () => void any(wheels).promises.setTimeout(delay()).catch(ignore),
    stats: () => any(wheels).stats(),
    pendingTimers: () => any(wheels).pendingTimers(),
    advance: () => {
      const wheel = new TimerWheel({ driver: 'manual' })
      wheel.schedule(ignore, 2)
      wheel.advance(3)
    },
    clear: () => any(wheels).clear(),
    stop: () => { const wheel = new TimerWheel(); wheel.setTimeout(ignore, 5); wheel.stop() },
  }
  /** Sets timers on all wheels, waits for them, and lets the process end. */
  function end(name) {
    const all = [timers, ...wheels, ...newWheels()]
    let left = 0
    for (const timers of all) {
      left += 2
      const ran = () => {
        if (--left > 0) return
        for (const map of maps) if (map.size + [...map].length > 0) console.log('entries that never expire')
        for (const group of groups) if (group.size !== [...group].length) console.log('a size that is not the number of members')
        for (const wheel of all.slice(1)) wheel.stop()
        console.log(name)
      }
      timers.setTimeout(ran, 20)
      timers.setTimeout(ignore, 3).refresh()
      timers.setTimeout(() => console.log('cleared'), 3).close()
      const repeated = timers.setInterval(() => { timers.clearInterval(repeated); ran() }, 10)
    }
  }
`

/** The builds of the package. The last one is for pages. */
const BUILDS = [...ENTRIES, './dist/browser.mjs']

describe.each(BUILDS)('%s works, and the process ends, after', (entry) => {
  it('a stack overflow within each public function', async () => {
    const program = `${OPERATIONS(entry)}
      let overflows = 0
      function overflow(operation) {
        // As the stack unwinds, each of these calls has a little more of it.
        let left = 60
        const descend = () => {
          try { descend() } catch {}
          if (left-- > 0) try { operation() } catch (error) { if (error instanceof RangeError) overflows++ }
        }
        descend()
      }
      for (const operation of Object.values(operations)) for (let i = 0; i < 3; i++) overflow(operation)
      for (let i = 0; i < 8; i++) {
        const wheel = new TimerWheel()
        wheels.push(wheel)
        // A wheel opens with memory for so many. So the memory grows in the first of the calls that has enough stack.
        for (let n = 0; n < ${MOST}; n++) wheel.schedule(ignore, 60_000)
        overflow(() => wheel.schedule(ignore, 60_000))
      }
      if (overflows < 60) console.log('few overflows:', overflows)
      end('ended')`
    expect(await run(program)).toEqual({ ...CLEAN, lines: ['ended'] })
  })

  it('a stack overflow while the memory grows', async () => {
    const program = `import { TimerWheel } from '${entry}'
      let [overflows, lost] = [0, 0]
      for (let n = 0; n < 60; n++) {
        const wheel = new TimerWheel()
        const set = () => wheel.schedule(() => {}, 60_000)
        const ids = Array.from({ length: ${MOST} }, set)
        let frames = n % 20
        const descend = () => {
          try { descend() } catch {}
          if (frames-- === 0) try { set() } catch { overflows++ }
        }
        descend()
        if (!wheel.cancel(ids[0]) || !wheel.reschedule(ids[1], 5)) lost++
        // With the code for the growth compiled, it needs less stack.
        set()
        set()
        wheel.stop()
      }
      console.log(overflows > 20, lost)`
    expect(await run(program)).toEqual({ ...CLEAN, lines: ['true 0'] })
  })

  it('an error while the memory grows, between two due timers and before a wait', async () => {
    const program = `import { TimerWheel } from '${entry}'
      const { prototype } = WebAssembly.Memory, real = prototype.grow
      const fail = function (pages) { real.call(this, pages); throw new Error('interrupted') }
      const [wheel, other] = [new TimerWheel(), new TimerWheel()]
      let ran = 0
      const grow = (wheel) => {
        prototype.grow = fail
        try { for (let i = 0; i < ${MOST}; i++) wheel.schedule(() => {}, 60_000) } catch (error) {
          if (error.message !== 'interrupted') throw error
        }
        prototype.grow = real
      }
      wheel.schedule(() => grow(wheel), 20)
      other.schedule(() => { console.log('waited'); other.stop() }, 300)
      grow(other)
      for (let i = 0; i < 50; i++) wheel.schedule(() => { ran++ }, 20)
      setTimeout(() => wheel.schedule(() => { console.log(ran); wheel.stop() }, 5), 100)`
    expect(await run(program)).toEqual({ ...CLEAN, lines: ['50', 'waited'] })
  })

  // A limit interrupts code where it calls. The compiler takes most calls away.
  it.each([
    ['compiled', []],
    ['not compiled', ['--no-opt', '--no-sparkplug']],
  ])('time limits of vm within masses of them, %s', async (_, flags) => {
    const program = `import vm from 'node:vm'
      ${OPERATIONS(entry)}
      const every = Object.values(operations)
      // In these, no clear() of a map removes what an interruption has left in it.
      const last = ['set', 'get', 'delete'].map((name) => operations['map.' + name])
      globalThis.work = () => {
        for (;;) for (const operation of left > 50 ? every : last) for (let i = 0; i < 20; i++) operation()
      }
      let limits = 0
      let left = ${50 + scaled(25, 300)}
      function round() {
        try { vm.runInThisContext('work()', { timeout: 1 + left % 7 }) } catch (error) {
          if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
          limits++
        }
        if (--left > 0) setImmediate(round)
        else end(limits > 0 ? 'ended' : 'no limit')
      }
      round()`
    expect(await run(program, flags)).toEqual({ ...CLEAN, lines: ['ended'] })
  })
})
