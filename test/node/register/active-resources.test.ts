/** `process.getActiveResourcesInfo()` lists our timers like Node's. */
import { expect, it } from '@jest/globals'
import { virtualClock } from '../../differential/clock.js'
import { CLEAN } from '../backends.js'
import { run } from '../child.js'

/** Prints the list at several moments. */
const SCRIPT = `
  import { createServer } from 'node:net'
  const show = () => console.log(JSON.stringify(process.getActiveResourcesInfo().filter((one) => /Timeout|Imm|TCP/.test(one))))
  show()
  const timeouts = [1, 2, 3].map((i) => setTimeout(() => {}, 60_000 + i))
  const interval = setInterval(() => {}, 60_000).unref()
  show()
  const server = createServer().listen(0)
  interval.ref()
  timeouts[0].unref()
  clearTimeout(timeouts[1])
  setImmediate(() => {
    show()
    server.close()
    clearInterval(interval)
    timeouts[2].unref()
    setImmediate(() => {
      show()
      setTimeout(() => {
        const others = [setTimeout(() => {}, 60_000), setTimeout(() => {}, 60_000), setImmediate(() => {})]
        queueMicrotask(() => {
          timeouts[0].ref()
          clearTimeout(others[0])
          setImmediate(() => { show(); others[1].close(); timeouts[0].close(); show() })
        })
      }, 5)
    })
  })
  show()
`

it.each(['native', 'wasm'])('lists as many timers in the same places, on %s', async (backend) => {
  const native = await run(SCRIPT)
  expect(native).toMatchObject(CLEAN)
  expect(native.lines.join()).toContain('"Timeout","Timeout"')
  const ours = await run(SCRIPT, ['--require', 'timeout-wheel/register'], { TIMEOUT_WHEEL_BACKEND: backend })
  expect(ours).toEqual(native)
})

it.each(['native', 'wasm'])(
  'lists the running timer and all waiting ones in a burst, on %s',
  async (backend) => {
    const outcome = await run(
      `
    for (let i = 0; i < 2_000; i++) setTimeout(() => { for (const end = performance.now() + 0.02; performance.now() < end; ); }, 5)
    let left
    setTimeout(() => { left = process.getActiveResourcesInfo() }, 5)
    for (let i = 0; i < 100; i++) setTimeout(() => {}, 5)
    process.on('exit', () => console.log(left.filter((one) => one === 'Timeout').length, left.includes('Immediate')))`,
      ['--require', 'timeout-wheel/register'],
      { TIMEOUT_WHEEL_BACKEND: backend },
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['101 false'] })
  },
)

/** Prints the number of timers in a callback, and in all queued work that Node runs after it. */
const RUNNING = `
  const seen = []
  const see = (name) => seen.push(name + ' ' + process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length)
  process.on('exit', () => console.log(seen.join()))
  process.on('uncaughtException', () => see('thrown'))
  setTimeout(() => {
    see('once')
    queueMicrotask(() => see('microtask'))
    process.nextTick(() => see('tick'))
  }, 1)
  setTimeout(() => {
    const t = setTimeout(() => { see('again'); t.refresh(); see('refreshed'); clearTimeout(t); see('cleared') }, 1)
    see('two')
  }, 20)
  setTimeout(() => {
    const i = setInterval(() => { see('interval'); i.unref(); see('unref'); i.ref(); see('ref'); clearInterval(i); see('cleared') }, 1)
  }, 40)
  setTimeout(() => { throw new Error('thrown') }, 60)
  setTimeout(() => { const t = setTimeout(() => { see('unreferenced'); t.ref(); see('ref') }, 1).unref() }, 80)
  setTimeout(() => {}, 100)
`

it.each(['native', 'wasm'])('counts the running timer as Node does, on %s', async (backend) => {
  const native = await run(RUNNING, [], virtualClock())
  expect(native).toMatchObject(CLEAN)
  expect(native.lines.join()).toContain('once 6,tick 5')
  const env = { ...virtualClock(), TIMEOUT_WHEEL_BACKEND: backend }
  expect(await run(RUNNING, ['--require', 'timeout-wheel/register'], env)).toEqual(native)
})
