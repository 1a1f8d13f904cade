/** Opens pages that load the built package as a plain module, run a function, and return its result. */
import { fileURLToPath } from 'node:url'
import { launch } from '../../.tooling/browsers/index.mjs'
import { serve } from '../../.tooling/browsers/server.mjs'
import { ENGINE } from './engine.mjs'

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

/** The time limit for a page. */
const PATIENCE = 90_000

/**
 * `hidden`: behind another tab. `before`: a script that runs before the package is loaded. `args`: after an object with the package and `HELPERS`.
 * @typedef {{ headers?: object, hidden?: boolean, context?: 'window' | 'worker', before?: string, args?: unknown[] }} How
 */

/** Functions for the code in a page, which gets them together with the package. */
const HELPERS = {
  /** Calls `isOver` in turn after turn of the event loop, until it returns true. */
  turns: (isOver) =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => (isOver() ? resolve() : port2.postMessage(undefined))
      port2.postMessage(undefined)
    }),
  /** Waits until nothing is pending. */
  emptied: async (wheel) => {
    while (wheel.pending > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  },
}

function mainScript(run, path, args) {
  const helpers = Object.entries(HELPERS).map(([name, code]) => `${name}: ${code}`)
  return `
    const helpers = { ${helpers} }
    const post = (answer) => fetch('${path}', { method: 'POST', body: JSON.stringify(answer) })
    const failed = (error) => post({ error: error + '\\n' + error?.stack })
    import('/dist/browser.mjs')
      .then((wheels) => (${run})({ ...wheels, ...helpers }, ...${JSON.stringify(args)}))
      .then((value) => post({ value }), failed)`
}

class Pages {
  #count = 0

  async open(options) {
    this.site = await serve()
    this.site.mount('/dist/', DIST)
    // The same files under other addresses, which make a second copy of the package.
    this.site.mount('/copy/', DIST)
    this.browser = await launch(ENGINE, options)
  }

  async close() {
    await this.browser?.close()
    await this.site?.close()
  }

  /**
   * Opens a page that calls `run` with the package, and that stays open until `close`. `run` cannot use variables of this process.
   * @param {Function} run @param {How} [how]
   */
  async start(run, { headers = {}, hidden = false, context = 'window', before = '', args = [] } = {}) {
    const folder = `/page-${++this.#count}`
    const { site } = this
    const result = new Promise((resolve, reject) => {
      const guard = setTimeout(() => reject(new Error('the page has told nothing')), PATIENCE)
      site.receive(`${folder}/result`, ({ value, error }) => {
        clearTimeout(guard)
        if (error === undefined) resolve(value)
        else reject(new Error(error))
      })
    })
    // The result is awaited later. A rejection that nobody awaits must not end the run.
    result.catch(() => {})
    site.put(`${folder}/main.js`, before + mainScript(run, `${folder}/result`, args), headers)
    site.put(`${folder}/worker.js`, `new Worker('main.js', { type: 'module' })`, headers)
    const script = context === 'window' ? 'main.js' : 'worker.js'
    const body = `<p id="text">text</p><script type="module" src="${script}"></script>`
    const url = site.page(`${folder}/index.html`, 'test', body, headers)
    return { page: await this.browser.open(url, { hidden }), result }
  }

  /** Returns the result of `run` in a new page. @param {Function} run @param {How} [how] */
  async run(run, how) {
    const { page, result } = await this.start(run, how)
    try {
      return await result
    } finally {
      await page.close()
    }
  }
}

/** One browser and one server for the tests of a file. */
export function usePages(options) {
  const pages = new Pages()
  beforeAll(() => pages.open(options))
  afterAll(() => pages.close())
  return pages
}
