/**
 * The browser engines behind one interface. The variables TIMEOUT_WHEEL_CHROMIUM and TIMEOUT_WHEEL_FIREFOX may contain the path of
 * a program that replaces the one on the PATH. Puppeteer drives Chromium over the DevTools protocol, and Firefox over WebDriver BiDi.
 *
 * @typedef {import('puppeteer-core').Page} Page in WebKit only its functions `evaluate` and `close`
 *
 * @typedef {object} Browser
 * @property {string} name
 * @property {string} version
 * @property {string} [endpoint] the address by which another program drives the same browser
 * @property {(url: string, options?: { hidden?: boolean }) => Promise<Page>} open opens a page; if it is hidden, behind
 *   another tab and throttled
 * @property {() => Promise<void>} close
 *
 * @typedef {{ args?: string[], preferences?: Record<string, unknown> }} Options flags of Chromium, preferences of Firefox
 */
import puppeteer from 'puppeteer-core'
import { adopt, markedEnvironment, patiently, start } from '../child.cjs'
import { freePort, untilReady } from '../servers.mjs'
import { findChromium, findFirefox } from '../setup.mjs'

/** Milliseconds for one evaluation, and for the start of a browser on a busy machine. */
const PATIENCE = 180_000
/** Milliseconds that a browser may run: a benchmark uses it for hours. */
const LIMIT = 12 * 3_600_000

/** Flags by which puppeteer turns throttling off. They are removed, because hidden tabs are throttled for users too. */
const THROTTLING =
  '--disable-background-timer-throttling --disable-backgrounding-occluded-windows --disable-renderer-backgrounding'
/** The sandbox does not work as root. Background networking is off. */
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync --enable-precise-memory-info --js-flags=--expose-gc'

/** @param {import('puppeteer-core').LaunchOptions} options @returns {Promise<Browser>} */
async function launchByPuppeteer(name, executablePath, options) {
  const limits = { timeout: patiently(PATIENCE), protocolTimeout: patiently(PATIENCE) }
  const all = { ...options, ...limits, executablePath, env: markedEnvironment() }
  const browser = await puppeteer.launch(all).catch((error) => {
    throw new Error(`${executablePath} could not be started: ${error.message}`)
  })
  adopt(browser.process(), name, patiently(LIMIT))
  /** The tab that hides others. */
  let cover
  return {
    name,
    version: await browser.version(),
    endpoint: browser.wsEndpoint(),
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

/** The calls of a WebDriver server at `base`. */
const webDriver = (base) => async (method, path, parameters) => {
  const body = parameters && JSON.stringify(parameters)
  const signal = AbortSignal.timeout(patiently(PATIENCE))
  const response = await fetch(base + path, { method, body, signal })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`WebDriver: ${method} ${path}: ${value.error}: ${value.message}`)
  return value
}

/** The MiniBrowser of WebKitGTK, driven by WebDriver, on a screen in memory. @returns {Promise<Browser>} */
async function launchWebKit() {
  const port = await freePort()
  // The sandbox of WebKit does not work in containers.
  const env = { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' }
  const words = ['--auto-servernum', 'WebKitWebDriver', `--port=${port}`]
  const server = start('xvfb-run', words, { env, stdio: 'ignore', limit: LIMIT })
  const call = webDriver(`http://127.0.0.1:${port}`)
  await untilReady("WebKitGTK's WebDriver", () => call('GET', '/status'), patiently(PATIENCE))
  const alwaysMatch = { timeouts: { script: PATIENCE, pageLoad: PATIENCE } }
  const { sessionId, capabilities } = await call('POST', '/session', { capabilities: { alwaysMatch } })
  const session = (method, path, body) => call(method, `/session/${sessionId}${path}`, body)
  // A session has one current window, to which its commands apply. So the commands for one window run after all earlier ones.
  let last = Promise.resolve()
  const focusOn = (handle) => session('POST', '/window', { handle })
  const inWindow = (handle, steps) => {
    const result = last.then(() => focusOn(handle)).then(steps)
    last = result.catch(() => {})
    return result
  }
  // This window stays open, because a new window can only be opened from another one.
  const home = await session('GET', '/window')
  return {
    name: 'webkit',
    version: `${capabilities.browserName}/${capabilities.browserVersion}`,
    async open(url, { hidden = false } = {}) {
      const handle = await inWindow(home, async () => {
        // A new window is visible. A new tab stays behind the tab that its window shows.
        const opened = await session('POST', '/window/new', { type: hidden ? 'tab' : 'window' })
        await focusOn(opened.handle)
        await session('POST', '/url', { url })
        return opened.handle
      })
      return {
        evaluate: (code, ...args) =>
          inWindow(handle, () =>
            session('POST', '/execute/sync', { script: `return (${code})(...arguments)`, args }),
          ),
        close: () => inWindow(handle, () => session('DELETE', '/window')),
      }
    },
    async close() {
      await session('DELETE', '')
      await server.end()
    },
  }
}

/** @type {Record<string, (options: Options) => Promise<Browser>>} */
const engines = {
  chromium: ({ args = [] }) =>
    launchByPuppeteer('chromium', findChromium(), {
      ignoreDefaultArgs: THROTTLING.split(' '),
      args: [...FLAGS.split(' '), ...args],
    }),
  firefox: ({ preferences = {} }) =>
    launchByPuppeteer('firefox', findFirefox(), { browser: 'firefox', extraPrefsFirefox: preferences }),
  webkit: launchWebKit,
}

export const ENGINES = Object.keys(engines)

/** @param {string} engine @param {Options} [options] each engine reads its own */
export function launch(engine, options = {}) {
  if (Object.hasOwn(engines, engine)) return engines[engine](options)
  throw new Error(`there is no engine ${JSON.stringify(engine)}: ${ENGINES.join(', ')}`)
}
