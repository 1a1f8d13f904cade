/** A test tool fakes the timers of a page before the package is loaded. test/browser/fake-timers.test.mjs moves all kinds of timers. */
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
