/**
 * What runs for hours: the load on both builds in Node and on a page, and durable timers in files and in PostgreSQL. Each subject has `faults`,
 * which happen to it from time to time, `report()` and `stop()`, which resolve to what was found since the last report.
 */
import { mkdtempSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { launch } from '../../.tooling/browsers/index.mjs'
import { ISOLATED, serve } from '../../.tooling/browsers/server.mjs'
import { start } from '../../.tooling/child.cjs'
import { root } from '../../.tooling/step.mjs'
import { Starts } from './starts.mjs'

/** A part cannot be longer. */
const LIMIT = 24 * 3_600_000
const between = (least, most) => least + Math.random() * (most - least)

/** A Node process that answers messages. */
class Child {
  ended = false

  constructor(node, args, env) {
    const words = ['--expose-gc', '--no-warnings', ...args]
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc']
    this.child = start(node, words, { limit: LIMIT, stdio, cwd: root, env: { ...process.env, ...env } })
    this.child.process.once('exit', (code, signal) => {
      this.ended = true
      this.outcome = signal ?? `code ${code}`
    })
  }
  tell(...message) {
    if (!this.ended) this.child.process.send(message, () => {})
  }
  ask(work) {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error(`the process ended with ${this.outcome}`))
      if (this.ended) return onExit()
      this.child.process.once('exit', onExit)
      this.child.process.once('message', (answer) => {
        this.child.process.off('exit', onExit)
        resolve(answer)
      })
      this.tell(work)
    })
  }
  async suspend(ms) {
    this.child.process.kill('SIGSTOP')
    await sleep(ms)
    this.child.process.kill('SIGCONT')
  }
  kill() {
    this.child.process.kill('SIGKILL')
  }
}

/** The load on a build, in a process of Node. */
export function onNode(node, entry) {
  const child = new Child(node, ['test/soak/load-node.mjs', entry])
  return {
    name: `Node, ${entry.split('/')[1]}`,
    faults: {
      'blocked loop': () => child.tell('block', between(100, 2_000)),
      'suspended process': () => child.suspend(between(100, 5_000)),
      'ended thread': () => child.tell('thread', between(0, 300)),
      'idle connection': () => child.tell('connect'),
    },
    report: () => child.ask('report'),
    stop: () => child.ask('stop'),
  }
}

/** The load on a page of Chromium. */
export async function onPage() {
  const site = await serve(ISOLATED)
  site.mount('/dist/', join(root, 'dist'))
  site.mount('/soak/', join(root, 'test/soak'))
  const script = `
    import * as ours from '/dist/browser.mjs'
    import { startLoad } from '/soak/load.mjs'
    globalThis.load = startLoad(ours)
    addEventListener('error', ({ error, message }) => {
      if (error?.message === 'expected') load.caught()
      else throw error ?? new Error(message)
    })
    const { Date } = globalThis
    let offset = 0
    globalThis.setClock = (ms) => { offset = ms }
    // A shim of the clock, as test tools and tracers put it in.
    Date.now = ((now) => () => now() + offset)(Date.now)
    performance.now = ((now) => () => now())(performance.now.bind(performance))`
  site.put('/main.js', script, { 'content-type': 'text/javascript' })
  const url = site.page('/', 'soak', '<script type="module" src="/main.js"></script>')
  const browser = await launch('chromium')
  const page = await browser.open(url)
  const failures = []
  page.on('pageerror', (error) => error.message.endsWith('expected') || failures.push(String(error)))
  await page.waitForFunction('globalThis.setClock !== undefined')
  const report = async (stop) => {
    const found = await page.evaluate(async (stop) => {
      if (stop) await globalThis.load.stop()
      globalThis.gc()
      return { ...globalThis.load.report(), memory: { heap: performance.memory.usedJSHeapSize } }
    }, stop)
    return { ...found, faults: [...found.faults, ...failures.splice(0)] }
  }
  return {
    name: 'Chromium',
    faults: {
      'blocked loop': () => page.evaluate((ms) => globalThis.load.block(ms), between(100, 2_000)),
      'clock of a shim': () => page.evaluate((ms) => globalThis.setClock(ms), between(-1e6, 1e6)),
      async 'hidden page'() {
        const cover = await browser.open('about:blank')
        await cover.bringToFront()
        await sleep(between(1_000, 5_000))
        await page.bringToFront()
        await cover.close()
      },
    },
    report: () => report(false),
    async stop() {
      const found = await report(true)
      await browser.close()
      await site.close()
      return found
    },
  }
}

/** Milliseconds. */
const LEASE = 5_000

/** Durable timers of two processes. The first is never killed, so its memory can be compared. @param {string} store a path, or an address */
export async function onStore(node, name, store) {
  const folder = mkdtempSync(join(process.env.TIMEOUT_WHEEL_RUN_FOLDER, 'soak-'))
  const clock = openSync(join(folder, 'clock'), 'w')
  const setClock = (seconds) =>
    writeSync(clock, new BigInt64Array([BigInt(Math.round(seconds * 1e9))]), 0, 8, 0)
  setClock(0)
  const paths = [0, 1].map((i) => join(folder, `log-${i}`))
  for (const path of paths) openSync(path, 'a')
  const starts = new Starts(paths)
  const env = {
    LD_PRELOAD: join(root, 'build/virtual-clock/set_clock.so'),
    TIMEOUT_WHEEL_CLOCK: join(folder, 'clock'),
  }
  const address = store ?? join(folder, 'timers.db')
  // The clock of a server is not ours.
  const launchOne = (i) =>
    new Child(node, ['test/soak/durable.mjs', address, `${LEASE}`, paths[i]], store ? {} : env)
  const children = [launchOne(0), launchOne(1)]
  const suspend = async (i, ms) => {
    starts.disturb()
    await children[i].suspend(ms)
    starts.disturb()
  }
  const found = (memory) => {
    const { counts, faults, waiting } = starts
    return { counts: { ...counts }, faults: faults.splice(0), pending: waiting, ...memory }
  }
  return {
    name,
    faults: {
      async 'killed process'() {
        starts.disturb()
        children[1].kill()
        await sleep(between(0, 3_000))
        children[1] = launchOne(1)
      },
      'suspended process': () => suspend(Math.random() < 0.5 ? 0 : 1, between(100, 2 * LEASE)),
      ...(!store && {
        'clock that is set'() {
          setClock(between(-30, 30))
          starts.disturb(true)
        },
      }),
    },
    async report() {
      starts.read()
      return found(await children[0].ask('report'))
    },
    async stop() {
      setClock(0)
      starts.disturb(true)
      const [memory] = await Promise.all(children.map((child) => child.ask('stop')))
      starts.read()
      if (starts.waiting > 0) starts.faults.push(`${starts.waiting} timers are left, and not in the store`)
      return found(memory)
    },
  }
}
