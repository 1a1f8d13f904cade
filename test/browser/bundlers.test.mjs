/** Each bundler, without configuration, makes a page from the packed package that runs in the browser. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { serve } from '../../.tooling/browsers/server.mjs'
import { outputOf } from '../../.tooling/child.cjs'
import { BUNDLERS, PAGE_MAKERS } from '../bundlers/bundle.mjs'
import { usePages } from './pages.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FIXTURES = join(ROOT, 'test/bundlers/fixtures')

/** Texts of the package that no bundle may contain if it uses nothing of the package. */
const TRACES = /ERR_WHEEL|WebAssembly|TimerWheel/

const pages = usePages()
let folder = ''

async function execute(program, args, cwd = folder) {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_ENV: undefined }
  await outputOf(program, args, { cwd, env, limit: 120_000 })
}

/** Makes a project with the package, installed as from the registry, and one page with one script. */
function newProject(bundler, entry) {
  const project = join(folder, `${bundler}-${entry}`)
  mkdirSync(project)
  cpSync(join(folder, 'node_modules'), join(project, 'node_modules'), { recursive: true })
  cpSync(join(FIXTURES, entry), join(project, entry))
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'a-user', private: true }))
  writeFileSync(
    join(project, 'index.html'),
    `<!doctype html><html lang="en"><title>loading</title><script type="module" src="./${entry}"></script>`,
  )
  return project
}

/** Bundles a fixture and returns the folder to serve. */
async function bundle(bundler, entry) {
  const project = newProject(bundler, entry)
  await execute(process.execPath, [join(ROOT, 'test/bundlers/bundle.mjs'), bundler, project, entry])
  const out = join(project, 'out')
  if (!PAGE_MAKERS.includes(bundler)) {
    writeFileSync(
      join(out, 'index.html'),
      '<!doctype html><html lang="en"><title>loading</title><script type="module" src="main.js"></script>',
    )
  }
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
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a-user', private: true }))
  await execute('npm', [
    'install',
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    join(folder, tarball),
  ])
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
