/**
 * The browser engines behind one interface. The variables TIMEOUT_WHEEL_CHROMIUM and TIMEOUT_WHEEL_FIREFOX may contain the path of
 * a program that replaces the one on the PATH.
 *
 * @typedef {object} Page
 * @property {(code: Function, ...args: unknown[]) => Promise<any>} evaluate calls a function in the page and waits for its
 *   result; the function cannot use variables around it
 * @property {() => Promise<void>} bringToFront
 * @property {() => Promise<void>} close
 * @property {import('puppeteer-core').Page | undefined} handle the page of puppeteer, if it drives the engine
 *
 * @typedef {object} Browser
 * @property {string} name
 * @property {string} version
 * @property {number} pid of the process from which all others of the browser descend
 * @property {(url: string, options?: { hidden?: boolean }) => Promise<Page>} opens a page; if it is hidden, behind
 *   another tab and throttled
 * @property {() => Promise<void>} close
 */
import { launchChromium } from './chromium.mjs'
import { launchFirefox } from './firefox.mjs'
import { findChromium, findFirefox, findMiniBrowser, findOnPath } from './programs.mjs'
import { launchWebKit } from './webkit.mjs'

/**
 * @typedef {object} Options
 * @property {string[]} [args] flags of Chromium
 * @property {Record<string, unknown>} [preferences] of Firefox
 * @property {Record<string, string>} [env] of WebKit's processes
 */

/** @type {Record<string, (options?: Options) => Promise<Browser>>} */
const engines = {
  chromium: (options) => launchChromium(findChromium(), options),
  firefox: (options) => launchFirefox(findFirefox(), options),
  webkit: (options) =>
    launchWebKit({ driver: findOnPath('WebKitWebDriver'), browser: findMiniBrowser() }, options),
}

export const ENGINES = Object.keys(engines)

/** @param {string} engine @param {Options} [options] each engine reads its own */
export function launch(engine, options) {
  if (!Object.hasOwn(engines, engine)) {
    throw new Error(`there is no engine ${JSON.stringify(engine)}: ${ENGINES.join(', ')}`)
  }
  return engines[engine](options)
}
