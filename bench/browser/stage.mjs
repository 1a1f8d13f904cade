/** A page in a browser that runs contenders. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { launch } from '../../.tooling/browsers/index.mjs'
import { ISOLATED, serve } from '../../.tooling/browsers/server.mjs'
import { processOf } from './processes.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const OPTIONS = {
  chromium: {},
  // A clock as exact as that of isolated pages in other browsers, and a function that collects garbage.
  firefox: { preferences: { 'privacy.reduceTimerPrecision': false, 'dom.testing.testutils.enabled': true } },
  webkit: {},
}

/** One page, open until `close`. */
class Stage {
  constructor(page, context, close) {
    this.page = page
    this.callee = context === 'window' ? 'callInWindow' : 'callInWorker'
    this.close = close
  }

  #call(...args) {
    return this.page.evaluate((callee, ...rest) => globalThis[callee](...rest), this.callee, ...args)
  }

  /** Runs a loop of page/loops.js with the timers of a contender. */
  run(contender, loop, options) {
    return this.#call('run', contender, loop, options)
  }

  /** Runs a function of page/loops.js that needs no timers, so that the contender makes no wheel. */
  runWithout(contender, loop) {
    return this.#call('runWithout', contender, loop)
  }
}

/** An engine: its browser, which is started on demand, and the server of the pages. */
export class Theatre {
  constructor(engine, site) {
    this.engine = engine
    this.site = site
    this.browser = undefined
  }

  static async open(engine) {
    const site = await serve(ISOLATED)
    // One file, as a bundler makes it. Under another address all of it is loaded again.
    const { outputFiles } = await build({
      entryPoints: [here('../../dist/browser.mjs')],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
    })
    site.put('/package.mjs', { body: outputFiles[0].text })
    site.mount('/page/', here('page'))
    site.mount('/runner/', here('../runner'))
    site.page('/index.html', 'benchmark', '<script type="module" src="/page/stage.js"></script>')
    return new Theatre(engine, site)
  }

  start() {
    this.browser ??= launch(this.engine, OPTIONS[this.engine])
    return this.browser
  }

  async stage({ context = 'window', hidden = false } = {}) {
    const page = await openReady(await this.start(), this.site, hidden)
    return new Stage(page, context, () => page.close())
  }

  /** A page in a new browser, whose memory no other page has used, and its process. */
  async freshStage() {
    const browser = await launch(this.engine, OPTIONS[this.engine])
    try {
      const page = await openReady(browser, this.site, false)
      const pid = await processOf(browser, page)
      return { stage: new Stage(page, 'window', () => browser.close()), pid }
    } catch (error) {
      await browser.close()
      throw error
    }
  }

  async close() {
    await (await this.browser)?.close()
    await this.site.close()
  }
}

async function openReady(browser, site, hidden) {
  const page = await browser.open(`${site.url}/index.html`, { hidden })
  await page.evaluate(async () => {
    while (globalThis.callInWindow === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  })
  return page
}
