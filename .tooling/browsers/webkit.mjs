/** The MiniBrowser of WebKitGTK, driven by WebDriver, on a screen in memory. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { patiently, start } from '../child.cjs'
import { freePort } from '../servers.mjs'
import { findMiniBrowser } from '../setup.mjs'

/** Milliseconds for one evaluation, and for the start of a browser on a busy machine. */
export const PATIENCE = 180_000
/** Milliseconds that a browser may run: a benchmark uses it for hours. */
export const LIMIT = 12 * 3_600_000

/** Starts an X server. It chooses the number of its display, and writes it to its third file. */
async function startScreen() {
  const args = ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp']
  const screen = start('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], limit: LIMIT })
  const [number] = await Promise.race([
    once(screen.process.stdio[3], 'data', { signal: AbortSignal.timeout(patiently(PATIENCE)) }),
    screen.ended.then(({ code }) => {
      throw new Error(`Xvfb ended with exit code ${code}`)
    }),
  ])
  return { display: `:${`${number}`.trim()}`, end: () => screen.end() }
}

/** The calls of a WebDriver server at `base`. */
const webDriver = (base) => async (method, path, body) => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
    signal: AbortSignal.timeout(patiently(PATIENCE)),
  })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`WebDriver: ${method} ${path}: ${value.error}: ${value.message}`)
  return value
}

async function untilReady(call) {
  for (const end = Date.now() + patiently(PATIENCE); ; await sleep(50)) {
    try {
      return await call('GET', '/status')
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}

/** @returns {Promise<import('./index.mjs').Browser>} */
export async function launchWebKit() {
  const screen = await startScreen()
  const port = await freePort()
  // The sandbox of WebKit does not work in containers.
  const env = { ...process.env, DISPLAY: screen.display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' }
  const server = start('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore', limit: LIMIT })
  const end = async () => {
    await server.end()
    await screen.end()
  }
  try {
    const call = webDriver(`http://127.0.0.1:${port}`)
    await untilReady(call)
    const alwaysMatch = {
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary: findMiniBrowser(), args: ['--automation'] },
      timeouts: { script: PATIENCE, pageLoad: PATIENCE },
    }
    const { sessionId, capabilities } = await call('POST', '/session', { capabilities: { alwaysMatch } })
    const session = (method, path, body) => call(method, `/session/${sessionId}${path}`, body)
    // A session has one current window, to which its commands apply. So the commands for one page run after all earlier ones.
    let last = Promise.resolve()
    const inTurn = (steps) => {
      const result = last.then(steps)
      last = result.catch(() => {})
      return result
    }
    // This window stays open, because a new window can only be opened from another one.
    const home = await session('GET', '/window')
    return {
      name: 'webkit',
      pid: server.process.pid,
      version: `${capabilities.browserName}/${capabilities.browserVersion}`,
      // A new window is visible. A new tab stays behind the tab that its window shows.
      open: (url, { hidden = false } = {}) =>
        openWindow(inTurn, session, home, url, hidden ? 'tab' : 'window'),
      close: async () => {
        await session('DELETE', '')
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** Runs in the page. The last argument is the callback of WebDriver for the result. */
const ASYNC_SCRIPT = (code) => `
  const done = arguments[arguments.length - 1]
  const args = [...arguments].slice(0, -1)
  Promise.resolve().then(() => (${code})(...args)).then(
    (value) => done({ value }),
    (error) => done({ error: String(error && error.stack ? error + '\\n' + error.stack : error) }),
  )`

async function openWindow(inTurn, session, home, url, type) {
  const focusOn = (handle) => session('POST', '/window', { handle })
  const { handle } = await inTurn(async () => {
    const opened = await session('POST', '/window/new', { type })
    await focusOn(opened.handle)
    await session('POST', '/url', { url })
    return opened
  })
  const inWindow = (steps) =>
    inTurn(async () => {
      await focusOn(handle)
      return steps()
    })
  return {
    evaluate: (code, ...args) =>
      inWindow(async () => {
        const { value, error } = await session('POST', '/execute/async', { script: ASYNC_SCRIPT(code), args })
        if (error !== undefined) throw new Error(error)
        return value
      }),
    close: () =>
      inWindow(async () => {
        await session('DELETE', '/window')
        await focusOn(home)
      }),
  }
}
