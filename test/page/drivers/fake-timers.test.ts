/** A test tool fakes the timers of a page before the package is loaded. test/browser/fake-timers.test.mjs has tools in a browser. */
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
  it('ends, and begins again and again: timers run in real time, in its time, and in real time', async () => {
    const first = install(toFake)
    const { setTimeout, timerGroup, TimeoutMap, TimerWheel } = freshEntry()
    const pending = new Promise((resolve) => setTimeout(resolve, 805))
    first.tick(800)
    first.uninstall()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await pending
    // The tool warns of a clearTimeout with the number of a real timer, which ran before.
    jest.spyOn(console, 'warn').mockImplementation(() => {})
    for (const delay of [500, 60, 10]) {
      const tool = install(toFake)
      const ran = jest.fn()
      setTimeout(ran, delay)
      timerGroup(ran, delay).add('member')
      new TimeoutMap({ ttl: delay, onExpire: ran }).set('key', 'entry')
      new TimerWheel({ driver: 'worker' }).schedule(ran, delay)
      tool.tick(delay - 1)
      expect(ran).not.toHaveBeenCalled()
      tool.tick(1)
      expect(ran).toHaveBeenCalledTimes(4)
    }
    clock!.uninstall()
    await new Promise((resolve) => setTimeout(resolve, 5))
  })
})

it('leaves real time to a page whose Date alone is faked', async () => {
  install(['Date'])
  const { setTimeout } = freshEntry()
  await new Promise((resolve) => setTimeout(resolve, 5))
})
