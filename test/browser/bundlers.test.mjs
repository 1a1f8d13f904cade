/** Each bundler, without configuration, makes a page from the packed package that runs in the browser. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from '../../.tooling/browsers/server.mjs'
import { outputOf } from '../../.tooling/child.cjs'
import { BUNDLERS, PAGE_MAKERS } from '../bundlers/bundle.mjs'
import { usePages } from './pages.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FIXTURES = join(ROOT, 'test/bundlers/fixtures')
const MANIFEST = JSON.stringify({ name: 'a-user', private: true })

/** Texts of the package that no bundle may contain if it uses nothing of the package. */
const TRACES = /ERR_WHEEL|WebAssembly|TimerWheel/

const pages = usePages()
let folder = ''

async function execute(program, args, cwd = folder) {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_ENV: undefined }
  await outputOf(program, args, { cwd, env, limit: 120_000 })
}

const html = (script) =>
  `<!doctype html><html lang="en"><title>loading</title><script type="module" src="${script}"></script>`

/** Bundles a fixture, in a project that has the package as from the registry. Returns the folder to serve. */
async function bundle(bundler, entry) {
  const project = join(folder, `${bundler}-${entry}`)
  cpSync(join(folder, 'node_modules'), join(project, 'node_modules'), { recursive: true })
  cpSync(join(FIXTURES, entry), join(project, entry))
  writeFileSync(join(project, 'package.json'), MANIFEST)
  writeFileSync(join(project, 'index.html'), html(`./${entry}`))
  await execute(process.execPath, [join(ROOT, 'test/bundlers/bundle.mjs'), bundler, project, entry])
  const out = join(project, 'out')
  if (!PAGE_MAKERS.includes(bundler)) writeFileSync(join(out, 'index.html'), html('main.js'))
  return out
}

const scripts = (out) =>
  readdirSync(out, { recursive: true })
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => readFileSync(join(out, name), 'utf8'))
    .join('\n')

/** Opens the page of a folder, and returns the title that it sets. */
async function titleOf(out) {
  // Serve the folder as the root: bundlers that make the page assume that.
  const site = await serve()
  const page = await pages.browser.open(`${site.mount('/', out)}index.html`)
  try {
    return await page.evaluate(async () => {
      for (const end = Date.now() + 10_000; document.title === 'loading' && Date.now() < end; ) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return document.title
    })
  } finally {
    await page.close()
    await site.close()
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-bundlers-'))
  await execute('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], ROOT)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  writeFileSync(join(folder, 'package.json'), MANIFEST)
  const quietly = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await execute('npm', ['install', ...quietly, join(folder, tarball)])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(Object.keys(BUNDLERS))('%s', (bundler) => {
  it('makes a page on which timers run', async () => {
    expect(await titleOf(await bundle(bundler, 'used.js'))).toBe('ran on wasm')
  })

  it('leaves out the package if nothing of it is used', async () => {
    const out = await bundle(bundler, 'unused.js')
    const text = scripts(out)
    expect(text).toContain('nothing is used')
    expect(text.match(TRACES)).toBe(null)
    expect(text.length).toBeLessThan(3_000)
    expect(await titleOf(out)).toBe('nothing is used')
  })
})
