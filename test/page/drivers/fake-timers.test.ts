/** A test tool fakes the timers of a page before the package is loaded. test/browser/fake-timers.test.mjs has real pages. */
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import FakeTimers, { type FakeMethod } from '@sinonjs/fake-timers'
import { freshEntry } from '../simulated-page.js'

/** What `cy.clock()` fakes: not `performance`. */
const CYPRESS: FakeMethod[] = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date']

type Tool = ReturnType<typeof FakeTimers.install>
let clock: Tool | undefined
/** Installs the tool, which then begins again at 0. */
function install(toFake: FakeMethod[]): Tool {
  clock?.uninstall()
  clock = FakeTimers.withGlobal(globalThis).install({ toFake })
  return clock
}
afterEach(() => {
  clock?.uninstall()
  clock = undefined
  jest.restoreAllMocks()
})

describe.each<[string, FakeMethod[]]>([
  ['what cy.clock() fakes', CYPRESS],
  ['performance too', [...CYPRESS, 'performance']],
  ['setTimeout alone', ['setTimeout', 'clearTimeout']],
])('a tool that fakes %s', (_, toFake) => {
  it('moves all kinds of timers, each at its own time, without microtasks', () => {
    const tool = install(toFake)
    const { setTimeout, setInterval, clearInterval, TimerWheel, TimeoutMap, timerGroup } = freshEntry()
    const ran: [string, number][] = []
    const note = (name: string): unknown => ran.push([name, tool.now])
    for (let n = 1; n <= 12; n++) setTimeout(note, 250 * n, `timeout ${n}`)
    for (const driver of ['host', 'worker'] as const) {
      new TimerWheel({ driver }).schedule(note, 3000, driver)
    }
    timerGroup(note, 2000).add('member')
    new TimeoutMap({ ttl: 2500, onExpire: note }).set('key', 'entry')
    const interval = setInterval(() => {
      note('interval')
      setTimeout(note, 1, 'set in a callback')
    }, 1400)
    tool.tick(3000)
    clearInterval(interval)
    const times = Array.from({ length: 12 }, (_, n): [string, number] => [`timeout ${n + 1}`, 250 * (n + 1)])
    const others: [string, number][] = [
      ...[
        ['member', 2000],
        ['entry', 2500],
        ['interval', 1400],
        ['interval', 2800],
        ['set in a callback', 1401],
      ],
      ...[
        ['set in a callback', 2801],
        ['host', 3000],
        ['worker', 3000],
      ],
    ] as never
    const byTime = (list: [string, number][]) => list.sort(([a, x], [b, y]) => x - y || a.localeCompare(b))
    expect(byTime(ran)).toEqual(byTime([...times, ...others]))
  })

  it('moves no timer while it stands still, and moves timers that were set before a microtask ran', async () => {
    const tool = install(toFake)
    const { setTimeout } = freshEntry()
    let ran = 0
    for (let n = 0; n < 12; n++) setTimeout(() => ran++, 5)
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(ran).toBe(0)
    tool.tick(4)
    expect(ran).toBe(0)
    tool.tick(1)
    expect(ran).toBe(12)
  })

  it('ends, begins again and ends: timers run in real time, in its time, and in real time', async () => {
    install(toFake)
    const { setTimeout } = freshEntry()
    let ran = 0
    const first = new Promise((resolve) => setTimeout(resolve, 805))
    clock!.tick(800)
    clock!.uninstall()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await first
    // The tool warns of a clearTimeout with the number of a real timer, which ran before.
    jest.spyOn(console, 'warn').mockImplementation(() => {})
    const tool = install(toFake)
    setTimeout(() => ran++, 500)
    tool.tick(499)
    expect(ran).toBe(0)
    tool.tick(1)
    expect(ran).toBe(1)
    tool.uninstall()
    await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it('begins again after a few milliseconds: timers run in its time', () => {
    install(toFake)
    const { setTimeout } = freshEntry()
    let ran = 0
    for (const delay of [60, 10]) {
      setTimeout(() => ran++, delay)
      clock!.tick(delay)
      install(toFake)
    }
    expect(ran).toBe(2)
  })
})

it('leaves real time to a page whose Date alone is faked', async () => {
  install(['Date'])
  const { setTimeout } = freshEntry()
  await new Promise((resolve) => setTimeout(resolve, 5))
})
