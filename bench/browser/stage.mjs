/** A page in a browser that runs contenders. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { launch } from '../../.tooling/browsers/index.mjs'
import { ISOLATED, serve } from '../../.tooling/browsers/server.mjs'
import { processOf } from './processes.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** For Firefox: a clock as exact as that of isolated pages in other browsers, and a function that collects garbage. */
const preferences = { 'privacy.reduceTimerPrecision': false, 'dom.testing.testutils.enabled': true }

/** Opens a page in a new browser, whose memory no other page has used. */
export async function openStage(engine, hidden) {
  const site = await serve(ISOLATED)
  // One file, as a bundler makes it. Under another address all of it is loaded again.
  const { outputFiles } = await build({
    entryPoints: [here('../../dist/browser.mjs')],
    ...{ bundle: true, minify: true, write: false, format: 'esm' },
  })
  site.put('/package.mjs', outputFiles[0].text)
  site.mount('/page/', here('page'))
  site.mount('/runner/', here('../runner'))
  const url = site.page('/index.html', 'benchmark', '<script type="module" src="/page/stage.js"></script>')
  let browser
  const close = async () => {
    await browser?.close()
    await site.close()
  }
  let page
  try {
    browser = await launch(engine, { preferences })
    page = await browser.open(url, { hidden })
  } catch (error) {
    await close()
    throw error
  }
  return {
    version: browser.version,
    /** Runs a function of page/loops.js: `run(contender, loop, options)`. */
    run: (...args) => page.evaluate((...rest) => globalThis.stage(...rest), ...args),
    findProcess: () => processOf(browser, page),
    close,
  }
}
