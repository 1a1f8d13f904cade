/** `jest --detectOpenHandles` finds the timers of the program, as with Node's timers, and nothing of the package's own. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENTRIES } from './backends.js'
import { testProject } from './test-project.js'

const project = testProject()
writeFileSync(
  join(project.folder, 'clean.test.js'),
  `const promises = require('timeout-wheel/promises')
  const { clearTimeout, setTimeout, TimeoutMap, timeoutSignal, timerGroup, TimerWheel } = require('timeout-wheel')
  test('leaves nothing', async () => {
    clearTimeout(setTimeout(() => {}, 60_000))
    timerGroup(() => {}, 60_000).add(1)
    new TimeoutMap({ ttl: 60_000 }).set(1, 1)
    timeoutSignal(60_000)
    const wheel = new TimerWheel()
    wheel.setTimeout(() => {}, 60_000)
    await Promise.all([promises.setTimeout(1), new Promise((resolve) => wheel.setTimeout(resolve, 1))])
    wheel.stop()
  })`,
)
writeFileSync(
  join(project.folder, 'leak.test.js'),
  `const { setInterval, setTimeout } = require('timeout-wheel')
  test('leaves three timers', (done) => {
    const again = setTimeout(() => {
      again.refresh(60_000)
      done()
    }, 1)
    setTimeout(() => {}, 60_000)
    setInterval(() => {}, 60_000)
    setTimeout(() => {}, 60_000).unref()
  })`,
)
/** Where `leak.test.js` sets the timers that Jest reports. */
const LEAKS = ['leak.test.js:3:19', 'leak.test.js:7:5', 'leak.test.js:8:5']

describe.each(ENTRIES)('%s', (entry) => {
  it('shows Jest the timers that a test has left, with the lines that set them', async () => {
    const env = { TIMEOUT_WHEEL_BACKEND: entry.split('/')[1]! }
    const options = ['--detectOpenHandles', '--forceExit']
    const { code, stderr } = await project.runJest('**/*.test.js', {}, env, ...options)
    const [results, ...handles] = stderr.split(/^ *● {2}(?=\w)/m)
    expect(results).toContain('2 passed, 2 total')
    expect({ code, types: handles.map((text) => text.split('\n', 1)[0]!.trim()) }).toEqual({
      code: 0,
      types: LEAKS.map(() => 'Timeout'),
    })
    expect(handles.map((text) => /\w+\.test\.js:[\d:]+/.exec(text)?.[0]).sort()).toEqual(LEAKS)
  })
})
