/** `timeout-wheel/testing` under the tools themselves: programs see of our timers what they see of those of the tool. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLEAN, ENTRIES } from './backends.js'
import { run, runNode } from './child.js'
import { printsInOneProcess } from './prints.js'
import { registerTest, testProject } from './test-project.js'

const SCENARIOS = join(__dirname, 'testing/scenarios.cjs')
/** The test of a tool that runs files, which finds the package where it would be installed. */
const TEST = `
  equal = (found, expected) => expect(found).toEqual(expected)
  // First, because a tool may be on from the start.
  test('moves a timer at once', () => {
    if (!process.env.ON_FROM_THE_START) TOOL.useFakeTimers()
    const ran = TOOL.fn()
    ours.setTimeout(ran, 100)
    TOOL.advanceTimersByTime(99)
    expect(ran).not.toHaveBeenCalled()
    TOOL.advanceTimersByTime(1)
    expect(ran).toHaveBeenCalledTimes(1)
    TOOL.useRealTimers()
  })
  test('shows the same as the tool', () => compare(equal, ours, toolOf(TOOL)))`

/** As in the guide of Jest for timer mocks, but the tested code uses our timers. */
const SPIES = `
  const { setTimeout: set, timerGroup } = require('timeout-wheel')
  const playOn = (onEnd) => set(() => { onEnd(); set(() => playOn(onEnd), 10_000) }, 1000)
  beforeEach(() => {
    jest.useFakeTimers()
    jest.spyOn(globalThis, 'setTimeout')
  })
  afterEach(() => jest.useRealTimers())
  test('calls the spy, and runs only what is pending', () => {
    const onEnd = jest.fn()
    playOn(onEnd)
    expect(onEnd).not.toHaveBeenCalled()
    expect(setTimeout).toHaveBeenCalledTimes(1)
    expect(setTimeout).toHaveBeenLastCalledWith(expect.any(Function), 1000)
    jest.runOnlyPendingTimers()
    expect(onEnd).toHaveBeenCalledTimes(1)
    expect(setTimeout).toHaveBeenCalledTimes(2)
    expect(setTimeout).toHaveBeenLastCalledWith(expect.any(Function), 10_000)
    // It is pending when the file ends.
    timerGroup(() => {}, 50).add('member')
  })`

/** The package is loaded after Jest has replaced a function. */
const LATE = `
  const wait = (ours) => new Promise((resolve) => {
    const real = require('node:timers')
    const limit = real.setTimeout(() => resolve('never'), 1000)
    ours.setTimeout(() => resolve('ran', real.clearTimeout(limit)), 5)
    jest.useRealTimers()
  })
  beforeEach(() => jest.resetModules())
  test('is loaded under legacy fake timers', async () => {
    jest.useFakeTimers({ legacyFakeTimers: true })
    expect(await wait(require('timeout-wheel'))).toBe('ran')
  })
  test('is loaded under a spy', async () => {
    const spy = jest.spyOn(globalThis, 'setTimeout')
    expect(await wait(require('timeout-wheel'))).toBe('ran')
    expect(spy).not.toHaveBeenCalled()
  })`

const FILES = {
  'jest.test.js': `
    const { compare, toolOf } = require('${SCENARIOS}')
    const ours = require('timeout-wheel')
    let equal${TEST.replaceAll('TOOL', 'jest')}`,
  'vitest.test.mjs': `
    import { expect, test, vi } from 'vitest'
    import * as ours from 'timeout-wheel'
    import { compare, toolOf } from '${SCENARIOS}'
    let equal${TEST.replaceAll('TOOL', 'vi')}`,
  'register.test.mjs': `
    import { expect, test, vi } from 'vitest'
    import 'timeout-wheel/register'
    ${registerTest('vi', 'Vitest', 'vi.useFakeTimers()')}`,
  'spies.test.js': SPIES,
  'late.test.js': LATE,
}

const project = testProject()
const { folder } = project
let vitest: string
beforeAll(async () => {
  mkdirSync(join(folder, 'tests'))
  for (const [file, test] of Object.entries(FILES)) writeFileSync(join(folder, 'tests', file), test)
  const script = `import { installed } from './.tooling/runtimes.mjs'
    console.log(await installed('vitest', 'vitest@3.2.7'))`
  vitest = join((await run(script)).lines.at(-1)!, 'vitest')
}, 120_000)

describe.each(ENTRIES)('%s', (entry) => {
  const env = { TIMEOUT_WHEEL_BACKEND: entry.split('/')[1]! }

  const runJest = (config: object, more: NodeJS.ProcessEnv, ...options: string[]) =>
    project.runJest('**/{jest,spies}.test.js', config, { ...env, ...more }, ...options)
  const setupFiles = ['timeout-wheel/testing']
  const testEnvironmentOptions = { customExportConditions: ['node'] }

  it.each<[how: string, config: object, env: NodeJS.ProcessEnv]>([
    ['by a setup file', { setupFiles }, {}],
    ['from the start', { setupFiles, fakeTimers: { enableGlobally: true } }, { ON_FROM_THE_START: '1' }],
    ['in jsdom', { setupFiles, testEnvironment: 'jsdom', testEnvironmentOptions }, {}],
  ])('follows Jest: %s', async (_how, config, more) => {
    const outcome = await runJest(config, more)
    expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('3 passed, 3 total') })
    // Jest warns if a property of a former tool is read when the test file is over.
    expect(outcome.stderr).not.toMatch(/Warning/)
  })

  it('follows nothing without the entry, and runs in real time if a spy or legacy fake timers were there before it', async () => {
    const options = ['--testNamePattern=at once|loaded']
    const { stderr } = await project.runJest('**/{jest,late}.test.js', {}, env, ...options)
    expect(stderr).toContain('1 failed, 1 skipped, 2 passed')
    expect(stderr).not.toContain('● is loaded')
  })

  it('follows Vitest, with register too', async () => {
    const config = join(folder, 'vitest.config.mjs')
    writeFileSync(config, `export default { test: { setupFiles: ['timeout-wheel/testing'] } }`)
    const args = ['run', '--root', folder, '--config', config, '.test.mjs']
    const outcome = await runNode([join(vitest, 'vitest.mjs'), ...args], { ...env, NODE_OPTIONS: '' })
    expect(outcome.lines.join('\n') + outcome.stderr).toContain('3 passed')
  })

  const PRELUDE = `
    import 'timeout-wheel/testing'
    import assert from 'node:assert/strict'
    import { createHook } from 'node:async_hooks'
    import { createRequire } from 'node:module'
    import { mock } from 'node:test'
    import FakeTimers from '@sinonjs/fake-timers'
    import * as ours from '${entry}'
    const require = createRequire('${SCENARIOS}')
    const { compare, sinonTool, nodeTool } = require('./scenarios.cjs')
    const { setTimeout, setInterval, TimerWheel, TimeoutMap, timerGroup, timeoutSignal, withTimeout } = ours
    const log = (word) => () => console.log(word)
    const real = performance.now.bind(performance)
    const hostTimeout = globalThis.setTimeout
    const spin = (ms) => { for (const end = real() + ms; real() < end;); }
    `
  // Node 20 warns of mocked timers.
  const flags = ['--no-warnings']
  const inOne = printsInOneProcess({ prelude: PRELUDE, flags })

  inOne(`
    # follows @sinonjs/fake-timers, whatever it fakes -> done
    for (const options of [{}, { toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }, { now: 5.5 }])
      await compare(assert.deepEqual, ours, sinonTool(FakeTimers, options))
    console.log('done')
    # follows mock.timers of node:test -> done
    await compare(assert.deepEqual, ours, nodeTool(mock))
    console.log('done')
    # moves groups, maps, signals, wheels with options and promises
    -> member,entry,TimeoutError,TimeoutError,id,steady 0,later,steady 0,wait
    const clock = FakeTimers.install(); const seen = []
    timerGroup((word) => seen.push(word), 10).add('member')
    new TimeoutMap({ ttl: 20, onExpire: (value) => seen.push(value) }).set(1, 'later', 70).set(2, 'entry')
    const note = ({ name }) => seen.push(name)
    const signal = timeoutSignal(30)
    signal.addEventListener('abort', () => note(signal.reason))
    withTimeout(new Promise(() => {}), 40).catch(note)
    const wheel = new TimerWheel({ tick: 0.1, unref: true, maxPending: 3 })
    wheel.schedule(() => seen.push('id'), 50)
    const steady = wheel.setInterval((missed) => seen.push('steady ' + missed), { delay: 60, drift: false })
    wheel.promises.scheduler.wait(125).then(() => seen.push('wait'))
    await clock.tickAsync(124)
    wheel.clearInterval(steady)
    await clock.tickAsync(1); console.log(seen.join())
    clock.uninstall()
    # keeps groups and maps working from test to test, and in real time from the next call on
    -> after 50:  | after 100: entry,member,member | after 0:  | in real time: entry,member,other
    const seen = []
    const group = timerGroup((word) => seen.push(word), 100)
    const map = new TimeoutMap({ ttl: 100, onExpire: (value) => seen.push(value) })
    const show = (when) => console.log(when + ': ' + seen.splice(0).sort().join())
    for (const ms of [50, 100, 0]) {
      const clock = FakeTimers.install()
      group.add('member'); map.set(1, 'entry')
      clock.tick(ms)
      clock.uninstall()
      show('after ' + ms)
    }
    group.touch(group.add('other'))
    for (let i = 0; i < 200 && seen.length < 3; i++) await new Promise((resolve) => hostTimeout(resolve, 10))
    show('in real time')
    # stops in the time of a tool what was set in real time, and goes on after it -> true | fake | real | true
    const began = real()
    const handle = setTimeout(() => console.log('real') || console.log(real() - began >= 200), 200)
    spin(20)
    const clock = FakeTimers.install(); setTimeout(log('fake'), 5)
    console.log(handle.remaining <= 181)
    clock.tick(5)
    spin(250)
    clock.uninstall()
    # is one timer of the tool for each wheel, and comes to one due time after the other -> 1: 0  | 1: 100 1,2 | 2: 100 1,2 | 0: 300 1,2,3
    const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout'] }); const seen = []
    const show = () => console.log(clock.countTimers() + ':', clock.now, seen.join())
    for (const [n, delay] of [[3, 300], [1, 100], [2, 100]]) setTimeout(() => seen.push(n), delay)
    show()
    clock.runToLast(); show()
    new TimerWheel().setTimeout(() => {}, 50); show()
    clock.runAll(); show()
    clock.uninstall()
    # runs the timers of a tool in time if timers from before it are due within the same milliseconds -> 100
    const wheel = new TimerWheel()
    for (let i = 1; i < 400; i++) wheel.setTimeout(() => {}, i)
    // Some are overdue when the tool begins.
    spin(5)
    const clock = FakeTimers.install(), began = clock.now
    wheel.setTimeout(() => console.log(clock.now - began), 100)
    clock.tick(200); clock.uninstall(); wheel.stop()
    # leaves the event loop to others between the slices of real time -> true
    const seen = [], turn = () => seen.push('turn') && seen.filter((word) => word === 'timer').length < 3 && setImmediate(turn)
    for (let i = 0; i < 3; i++) setTimeout(() => spin(15) || seen.push('timer'), 1)
    turn()
    while (seen.filter((word) => word === 'timer').length < 3) await new Promise((resolve) => hostTimeout(resolve, 1))
    // Node can run a timer at once that is set after so much work.
    console.log(/timer.*turn.*timer/.test(seen.join()))
    # runs no microtask between the timers of a tool -> a,b,microtask
    const clock = FakeTimers.install(); const seen = []
    setTimeout(() => Promise.resolve(seen.push('a')).then(() => console.log(seen.join() + ',microtask')), 5)
    setTimeout(() => seen.push('b'), 5)
    hostTimeout(() => clock.tick(5) && clock.uninstall(), 1)
    # runs in order with the timers of node:test, whose clock is ahead of them
    -> ours,late,late,ours,theirs,ours | 0 | past | true | after it
    mock.timers.enable(); const wheel = new TimerWheel(); const seen = []
    const interval = wheel.setInterval(() => seen.push('ours'), 10)
    globalThis.setTimeout(() => seen.push('theirs'), 25)
    wheel.setTimeout(() => { for (let i = 0; i < 2; i++) wheel.schedule(() => seen.push('late'), 5) }, 12)
    mock.timers.tick(30); console.log(seen.join())
    wheel.clearInterval(interval); seen.length = 0
    wheel.setTimeout(() => wheel.setTimeout(() => seen.push(wheel.pending), 5), 5)
    mock.timers.tick(10); console.log(seen.join())
    wheel.setTimeout(log('past'), 500)._idleStart = -1e6
    mock.timers.tick(5)
    const { now } = wheel
    mock.timers.setTime(0); console.log(wheel.now >= now)
    wheel.setTimeout(log('after it'), 5); mock.timers.tick(5)
    mock.timers.reset()
    # cancels timers at once that a tool has dropped -> 0 0 | 1 next
    const wheel = new TimerWheel({ maxPending: 2 })
    for (const drop of ['reset', 'uninstall']) {
      const clock = FakeTimers.install()
      const handle = wheel.setTimeout(log('never'), 5)
      const id = wheel.schedule(log('never'), 5)
      clock[drop]()
      handle.refresh()
      if (wheel.cancel(id) || wheel.reschedule(id, 5)) console.log('the id is valid')
      if (wheel.pending !== 0 || wheel.pendingTimers().length !== 0) console.log(drop, wheel.stats())
      for (let n = 0; n < 2; n++) wheel.setTimeout(() => {}, 1)
      wheel.clear(); clock.uninstall()
    }
    console.log(wheel.pending, wheel.stop().length)
    // An interval that ends the tool.
    const clock = FakeTimers.install()
    const next = new TimerWheel(); let runs = 0
    next.setInterval(() => ++runs && clock.uninstall(), 5)
    clock.tick(5)
    await new Promise((resolve) => hostTimeout(resolve, 20))
    console.log(runs, next.pending === 0 ? 'next' : 'goes on')
    # leaves other timers alone when the first operation after a tool is on a timer of the tool -> 0,1,2 of 9
    const ways = [
      (wheel, handle) => wheel.clearTimeout(handle), (wheel, handle, id) => wheel.cancel(id),
      (wheel, handle, id) => wheel.reschedule(id, 20), (wheel, handle) => handle.refresh(30), (wheel, handle) => handle.unref(),
      (wheel, handle) => handle.pending && console.log('pending'), (wheel) => wheel.clear(), (wheel, handle, id, signal) => signal.clear(), (wheel, handle, id, signal) => signal.refresh(30),
    ]
    const results = new Set()
    for (const way of ways) for (const isInSlice of [true, false]) {
      const clock = FakeTimers.install(); const wheel = new TimerWheel(); const seen = []
      wheel.setTimeout(() => {}, 5)
      // The third timer of the slice must not run, because the second one ends its tool.
      if (isInSlice) { wheel.setTimeout(() => clock.uninstall(), 5); wheel.schedule(log('dropped, and ran'), 5) }
      const handle = wheel.setTimeout(() => {}, 100), id = wheel.schedule(() => {}, 100), signal = wheel.signal(100)
      clock.tick(5)
      if (!isInSlice) clock.uninstall()
      way(wheel, handle, id, signal)
      if (wheel.pending !== 0 || handle.pending) console.log(String(way), wheel.pending)
      for (let n = 0; n < 3; n++) wheel.setTimeout(() => seen.push(n), 1)
      for (let i = 0; i < 200 && seen.length < 3; i++) await new Promise((resolve) => hostTimeout(resolve, 2))
      results.add(seen.join()); wheel.stop()
    }
    console.log([...results].join(' and ') + ' of ' + ways.length)
    # comes to timers of more than six days as to others -> sinon 7,20,30 | node 7,20,30 | late
    const DAY = 86_400_000
    const setAll = (seen) => { for (const days of [30, 20, 7]) ours.setLongTimeout(() => seen.push(days), days * DAY) }
    const seen = []; let clock = FakeTimers.install(); setAll(seen); clock.next()
    if (clock.now !== 7 * DAY) console.log(clock.now)
    clock.runToLast(); clock.runAll()
    console.log('sinon ' + seen)
    clock.uninstall()
    mock.timers.enable(); setAll(seen.splice(0) && seen)
    mock.timers.tick(2 ** 32)
    console.log('node ' + seen); mock.timers.reset()
    // Without Node's warning of a negative delay.
    process.on('warning', ({ name }) => name === 'TimeoutNegativeWarning' && console.log(name))
    setTimeout(log('late'), 5)
    clock = FakeTimers.install(); ours.clearTimeout(ours.setTimeout(() => {}, 1))
    spin(20)
    clock.uninstall()
    # lets intervals jump with the clock of a tool -> 35,45
    const clock = FakeTimers.install(); const seen = []
    setInterval(() => seen.push(clock.now), 10); clock.jump(35); clock.tick(10)
    console.log(seen.join()); clock.uninstall()
    # leaves wheels alone that were stopped, or that move by hand -> 1 0 0 | by hand
    const wheel = new TimerWheel(); wheel.setTimeout(log('never'), 10)
    const clock = FakeTimers.install(), stopped = new TimerWheel(); stopped.setTimeout(log('never'), 10)
    console.log(stopped.stop().length, stopped.pending, clock.countTimers())
    const manual = new TimerWheel({ driver: 'manual' }); manual.setTimeout(log('by hand'), 10)
    clock.tick(5); wheel.stop()
    clock.tick(95); manual.advance(10)
    clock.uninstall()
    // The driver has looked again whether the tool has ended.
    await new Promise((resolve) => hostTimeout(resolve, 60))
    # leaves nothing that runs when a tool has ended, and reads nothing of it -> 1 | ran
    const timers = new Set(); let runs = 0
    const init = (id, type) => type === 'Timeout' && timers.add(id)
    createHook({ init, before: (id) => runs += timers.has(id) }).enable()
    const clock = FakeTimers.install(), fake = globalThis.setTimeout
    const group = timerGroup(() => {}, 10)
    group.delete(group.add('member'))
    setTimeout(log('never'), 10); new TimerWheel().schedule(log('never'), 10)
    clock.uninstall()
    for (const key of ['now', 'performance', 'timers', 'setTimeout', 'clearTimeout'])
      Object.defineProperty(clock, key, { get: log('read ' + key) })
    await new Promise((resolve) => hostTimeout(resolve, 50))
    console.log(runs)
    // A spy that is restored too late puts the fake function back.
    globalThis.setTimeout = fake
    setTimeout(() => {
      console.log('ran')
      globalThis.setTimeout = hostTimeout
    }, 5)`)

  it('must be loaded before the first wheel, and more than once does no harm', async () => {
    const late = `import { setTimeout } from '${entry}'; setTimeout(() => {}); await import('timeout-wheel/testing')`
    const { code, stderr } = await run(late)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('a wheel was opened before timeout-wheel/testing was imported'),
    })
    const twice = `import 'timeout-wheel/testing'; import { createRequire } from 'node:module'
      import { setTimeout } from '${entry}'; setTimeout(() => {}, 1)
      createRequire(process.cwd() + '/')('timeout-wheel/testing')`
    expect(await run(twice)).toEqual({ ...CLEAN, lines: [] })
  })

  it('does not keep a process alive for timers without references, nor for a tool that does not end', async () => {
    const set = `setTimeout(() => console.log('never'), 1e8)`
    const start = `import 'timeout-wheel/testing'; import FakeTimers from '@sinonjs/fake-timers'
      import { setTimeout } from '${entry}'; ${set}.unref()`
    const outcomes = await Promise.all([run(start), run(`${start}; FakeTimers.install(); ${set}`)])
    expect(outcomes).toEqual([1, 2].map(() => ({ ...CLEAN, lines: [] })))
  })

  it('says that it cannot follow mock.timers if they do not fake the time of day, and runs in real time', async () => {
    const { code, lines, stderr } = await run(`
      import 'timeout-wheel/testing'
      import { mock } from 'node:test'
      import { setTimeout } from '${entry}'
      mock.timers.enable({ apis: ['setTimeout'] })
      for (let i = 0; i < 2; i++) setTimeout(() => console.log('ran'), 5)
      mock.timers.tick(5)
      console.log('ticked')`)
    expect({ code, lines }).toEqual({ code: 0, lines: ['ticked', 'ran', 'ran'] })
    expect(stderr.match(/TimeoutWheelWarning: .*/g)).toEqual([
      expect.stringMatching(/fakes setTimeout without Date\. Enable both/),
    ])
  })
})

it('says in a page that it works on Node only', async () => {
  const { code, stderr } = await run(`await import('timeout-wheel/testing')`, ['--conditions=browser'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('works on Node only') })
})
