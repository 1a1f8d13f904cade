/** `process.getActiveResourcesInfo()` lists our timers like Node's, once they are registered. */
import { describe } from '@jest/globals'
import { fineClock } from '../../differential/clock.js'
import { eachLikeNativeInOne } from '../like-native.js'

const PRELUDE = `
  import { createServer } from 'node:net'
  if (entry !== 'node:timers') {
    process.env.TIMEOUT_WHEEL_BACKEND = entry.split('/')[1]
    await import('timeout-wheel/register')
  }
  const count = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length`

describe('as Node, it', () => {
  eachLikeNativeInOne(
    `
    # lists as many timers in the same places
    const show = () => log(process.getActiveResourcesInfo().filter((one) => /Timeout|Imm|TCP/.test(one)).join())
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
            setImmediate(() => { show(); others[1].close(); timeouts[0].close(); timeouts[2].close(); show() })
          })
        }, 5)
      })
    })
    show()
    # counts the running timer, also in queued work
    const seen = []
    const see = (name) => seen.push(name + ' ' + count())
    process.once('beforeExit', () => log(seen.join()))
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
    # lists the running timer and all waiting ones in a burst -> 101 false
    for (let i = 0; i < 2_000; i++) setTimeout(() => { for (const end = performance.now() + 0.02; performance.now() < end; ); }, 5)
    setTimeout(() => log(count(), process.getActiveResourcesInfo().includes('Immediate')), 5)
    for (let i = 0; i < 100; i++) setTimeout(() => {}, 5)`,
    PRELUDE,
    '',
    fineClock(),
  )
})
