/** Chromium and Firefox, driven by puppeteer: Chromium over the DevTools protocol, Firefox over WebDriver BiDi. */
import puppeteer from 'puppeteer-core'
import { adopt, markedEnvironment, patiently } from '../child.cjs'

/** Milliseconds for one evaluation, and for the start of a browser on a busy machine. */
const PATIENCE = 180_000
/** Milliseconds that a browser may run: a benchmark uses it for hours. */
const LIMIT = 12 * 3_600_000

/**
 * @param {import('puppeteer-core').LaunchOptions} options
 * @returns {Promise<import('./index.mjs').Browser>}
 */
export async function launchByPuppeteer(name, options) {
  const env = markedEnvironment()
  const limits = { timeout: patiently(PATIENCE), protocolTimeout: patiently(PATIENCE) }
  const browser = await puppeteer.launch({ ...options, env, ...limits }).catch((error) => {
    throw new Error(`${options.executablePath} could not be started: ${error.message}`)
  })
  adopt(browser.process(), name, LIMIT)
  return {
    name,
    version: await browser.version(),
    pid: browser.process().pid,
    async open(url, { hidden = false } = {}) {
      const page = await browser.newPage()
      const cover = hidden ? await browser.newPage() : undefined
      await cover?.bringToFront()
      await page.goto(url)
      return {
        evaluate: (code, ...args) => page.evaluate(code, ...args),
        bringToFront: () => page.bringToFront(),
        async close() {
          await page.close()
          await cover?.close()
        },
        handle: page,
      }
    },
    close: () => browser.close(),
  }
}
