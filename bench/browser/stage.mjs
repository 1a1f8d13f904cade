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

/** One page, open until `close`. It runs functions of page/loops.js. */
function stageOf(page, close) {
  const call = (...args) => page.evaluate((...rest) => globalThis.stage(...rest), ...args)
  return {
    page,
    close,
    /** With the timers of a contender. */
    run: (contender, loop, options) => call('run', contender, loop, options),
    /** Without timers, so that the contender makes no wheel. */
    runWithout: (contender, loop, options) => call('runWithout', contender, loop, options),
  }
}

async function serveSite() {
  const site = await serve(ISOLATED)
  // One file, as a bundler makes it. Under another address all of it is loaded again.
  const { outputFiles } = await build({
    entryPoints: [here('../../dist/browser.mjs')],
    ...{ bundle: true, minify: true, write: false, format: 'esm' },
  })
  site.put('/package.mjs', outputFiles[0].text)
  site.mount('/page/', here('page'))
  site.mount('/runner/', here('../runner'))
  site.page('/index.html', 'benchmark', '<script type="module" src="/page/stage.js"></script>')
  return site
}

/** An engine: its browser, which is started on demand, and the server of the pages. */
export async function openTheatre(engine) {
  const site = await serveSite()
  let browser
  const start = () => {
    browser ??= launch(engine, OPTIONS[engine])
    return browser
  }

  async function openReady(own, hidden) {
    const page = await own.open(`${site.url}/index.html`, { hidden })
    await page.evaluate(async () => {
      while (globalThis.stage === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    })
    return page
  }

  return {
    start,
    async stage(hidden) {
      const page = await openReady(await start(), hidden)
      return stageOf(page, () => page.close())
    },
    /** A page in a new browser, whose memory no other page has used, and its process. */
    async freshStage() {
      const own = await launch(engine, OPTIONS[engine])
      try {
        const page = await openReady(own, false)
        return { stage: stageOf(page, () => own.close()), pid: await processOf(own, page) }
      } catch (error) {
        await own.close()
        throw error
      }
    },
    async close() {
      await (await browser)?.close()
      await site.close()
    },
  }
}
