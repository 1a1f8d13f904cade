/** A page in a browser, in which contenders are run. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { launch } from '../../.tooling/browsers/index.mjs'
import { ISOLATED, serve } from '../../.tooling/browsers/server.mjs'
import { processOf } from './processes.mjs'

/**
 * @import { Browser, Options, Page } from '../../.tooling/browsers/index.mjs'
 * @import { Site } from '../../.tooling/browsers/server.mjs'
 * @typedef {'window' | 'worker'} Context
 */

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** @type {Record<string, Options>} */
const OPTIONS = {
  chromium: {},
  // Its clock, as exact as the others' are to a page that is isolated; and a function that collects garbage.
  firefox: { preferences: { 'privacy.reduceTimerPrecision': false, 'dom.testing.testutils.enabled': true } },
  webkit: {},
}

/** One page, open until `close`. */
export class Stage {
  /** @param {Page} page @param {Context} context @param {() => Promise<void>} close */
  constructor(page, context, close) {
    this.page = page
    this.callee = context === 'window' ? 'callInWindow' : 'callInWorker'
    this.close = close
  }

  /** @param {unknown[]} args @returns {Promise<any>} */
  #call(...args) {
    return this.page.evaluate((callee, ...rest) => globalThis[callee](...rest), this.callee, ...args)
  }

  /**
   * Runs a loop of page/loops.js on a contender's timers.
   *
   * @param {string} contender
   * @param {string} loop
   * @param {object} [options]
   */
  run(contender, loop, options) {
    return this.#call('run', contender, loop, options)
  }

  /**
   * The same, for what does nothing with its timers: no wheel is made by it.
   *
   * @param {string} contender
   * @param {string} loop
   */
  runWithout(contender, loop) {
    return this.#call('runWithout', contender, loop)
  }
}

/** An engine: its browser, started when it is first asked for, and the server of the pages. */
export class Theatre {
  /** @param {string} engine @param {Site} site */
  constructor(engine, site) {
    this.engine = engine
    this.site = site
    /** @type {Promise<Browser> | undefined} */
    this.browser = undefined
  }

  /** @param {string} engine */
  static async open(engine) {
    const site = await serve(ISOLATED)
    // As a bundler makes it, in one file: loaded again under another address, all of it is.
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

  /** @returns {Promise<Browser>} */
  start() {
    this.browser ??= launch(this.engine, OPTIONS[this.engine])
    return this.browser
  }

  /**
   * @param {{ context?: Context, hidden?: boolean }} [how]
   * @returns {Promise<Stage>}
   */
  async stage({ context = 'window', hidden = false } = {}) {
    const page = await openReady(await this.start(), this.site, hidden)
    return new Stage(page, context, () => page.close())
  }

  /** A page in a browser of its own, whose memory no page has used before, and the process of it. */
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

/** @param {Browser} browser @param {Site} site @param {boolean} hidden */
async function openReady(browser, site, hidden) {
  const page = await browser.open(`${site.url}/index.html`, { hidden })
  await page.evaluate(async () => {
    while (globalThis.callInWindow === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  })
  return page
}
