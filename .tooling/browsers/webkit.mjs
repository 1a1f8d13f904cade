/** The MiniBrowser of WebKitGTK, driven by WebDriver, on a screen in memory. */
import { patiently, start } from '../child.cjs'
import { freePort, untilReady } from '../servers.mjs'

/** Milliseconds for one evaluation, and for the start of a browser on a busy machine. */
export const PATIENCE = 180_000
/** Milliseconds that a browser may run: a benchmark uses it for hours. */
export const LIMIT = 12 * 3_600_000

/** The calls of a WebDriver server at `base`. */
const webDriver = (base) => async (method, path, parameters) => {
  const body = parameters && JSON.stringify(parameters)
  const signal = AbortSignal.timeout(patiently(PATIENCE))
  const response = await fetch(base + path, { method, body, signal })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`WebDriver: ${method} ${path}: ${value.error}: ${value.message}`)
  return value
}

/** @returns {Promise<import('./index.mjs').Browser>} */
export async function launchWebKit() {
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
