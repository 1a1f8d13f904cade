/**
 * The browser engines behind one interface. The variables TIMEOUT_WHEEL_CHROMIUM and TIMEOUT_WHEEL_FIREFOX may contain the path of
 * a program that replaces the one on the PATH. Puppeteer drives Chromium over the DevTools protocol, and Firefox over WebDriver BiDi.
 *
 * @typedef {import('puppeteer-core').Page} Page in WebKit only its functions `evaluate` and `close`
 *
 * @typedef {object} Browser
 * @property {string} name
 * @property {string} version
 * @property {(url: string, options?: { hidden?: boolean }) => Promise<Page>} open opens a page; if it is hidden, behind
 *   another tab and throttled
 * @property {() => Promise<void>} close
 *
 * @typedef {{ args?: string[], preferences?: Record<string, unknown> }} Options flags of Chromium, preferences of Firefox
 */
import puppeteer from 'puppeteer-core'
import { adopt, markedEnvironment, patiently } from '../child.cjs'
import { findChromium, findFirefox } from '../setup.mjs'
import { LIMIT, launchWebKit, PATIENCE } from './webkit.mjs'

/** Flags by which puppeteer turns throttling off. They are removed, because hidden tabs are throttled for users too. */
const THROTTLING =
  '--disable-background-timer-throttling --disable-backgrounding-occluded-windows --disable-renderer-backgrounding'
/** The sandbox does not work as root. Background networking is off. */
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync --enable-precise-memory-info --js-flags=--expose-gc'

/** @param {import('puppeteer-core').LaunchOptions} options @returns {Promise<Browser>} */
async function launchByPuppeteer(name, options) {
  const limits = { timeout: patiently(PATIENCE), protocolTimeout: patiently(PATIENCE) }
  const browser = await puppeteer
    .launch({ ...options, env: markedEnvironment(), ...limits })
    .catch((error) => {
      throw new Error(`${options.executablePath} could not be started: ${error.message}`)
    })
  adopt(browser.process(), name, patiently(LIMIT))
  /** The tab that hides others. */
  let cover
  return {
    name,
    version: await browser.version(),
    async open(url, { hidden = false } = {}) {
      const page = await browser.newPage()
      if (hidden) {
        cover ??= await browser.newPage()
        await cover.bringToFront()
      }
      await page.goto(url)
      return page
    },
    close: () => browser.close(),
  }
}

/** @type {Record<string, (options: Options) => Promise<Browser>>} */
const engines = {
  chromium: ({ args = [] }) =>
    launchByPuppeteer('chromium', {
      executablePath: findChromium(),
      ignoreDefaultArgs: THROTTLING.split(' '),
      args: [...FLAGS.split(' '), ...args],
    }),
  firefox: ({ preferences = {} }) =>
    launchByPuppeteer('firefox', {
      browser: 'firefox',
      executablePath: findFirefox(),
      extraPrefsFirefox: preferences,
    }),
  webkit: launchWebKit,
}

export const ENGINES = Object.keys(engines)

/** @param {string} engine @param {Options} [options] each engine reads its own */
export function launch(engine, options = {}) {
  if (Object.hasOwn(engines, engine)) return engines[engine](options)
  throw new Error(`there is no engine ${JSON.stringify(engine)}: ${ENGINES.join(', ')}`)
}
