import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { brokenLinksOf } from '../docs/links.js'
import { ADDON, execute, type Project, packAndInstall, ROOT, tool } from './installed.js'

function filesOf(folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
}

let project: Project
beforeAll(async () => {
  project = await packAndInstall()
})
afterAll(() => project.remove())

describe('the tarball', () => {
  it('contains the addon, the built files and the documents for users, no sources', () => {
    expect(existsSync(join(project.packageFolder, ADDON))).toBe(true)
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'bench', 'docs']
    const names = readdirSync(project.packageFolder)
    expect(names.sort()).toEqual([...documents, 'dist', 'package.json', 'prebuilds'].sort())
    const isDocument = (path: string): boolean => /\.(md|svg|webp)$/.test(path)
    const inDocuments = filesOf(['bench', 'docs'].map((name) => join(project.packageFolder, name)))
    expect(inDocuments.filter((path) => !isDocument(path))).toEqual([])
    expect(existsSync(join(project.packageFolder, 'docs/contributing'))).toBe(false)
  })

  it('contains all that its documents link to and show', () => {
    const paths = filesOf([project.packageFolder]).map((path) => relative(project.packageFolder, path))
    const documents = paths.filter((path) => path.endsWith('.md'))
    expect(documents).toContain('README.md')
    for (const document of documents)
      expect([document, brokenLinksOf(document, project.packageFolder)]).toEqual([document, []])
  })

  // Without comments and white space, because an import takes longer with each byte; with names and lines for stack traces.
  it.each([
    ['node.mjs', 90_000],
    ['choose-backend.cjs', 90_000],
    ['features.cjs', 55_000],
    ['whole/choose-backend.mjs', 140_000],
  ])('contains short code for all entries on Node: %s', (name, most) => {
    const code = readFileSync(join(project.packageFolder, `dist/${name}`), 'utf8')
    expect(code.length).toBeLessThan(most)
    expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThan(500)
    const whole = code.replace(/\\?\n/g, '')
    // A global property: see withoutInfinity in .tooling/shorten.mjs.
    expect(whole.match(/[^ \w]Infinity\b/g)).toBeNull()
    expect(/function setTimeoutWith\b|\bGroup=class\b/.test(whole)).toBe(true)
    // In parentheses, V8 compiles it at once.
    if (name !== 'features.cjs') expect(whole).toContain('const timerWheelClass=(function(')
    // So that tools which collect the files of a program find it.
    if (!/features|whole/.test(name))
      expect(/(new URL|require)\(['"`]\.\/features\.cjs['"`]/.test(whole)).toBe(true)
  })

  it('satisfies publint --strict', async () => {
    const { code, stdout, stderr } = await execute(tool('publint'), ['--strict', project.tarball], ROOT)
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' })
  })

  it('satisfies attw: the types match the code for every way of importing', async () => {
    const args = ['--profile', 'node16', '--no-color', project.tarball]
    const { code, stdout, stderr } = await execute(tool('attw'), args, ROOT)
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' })
  })
})

describe('the declarations', () => {
  const USE = `
    import { backend, clearTimeout, setInterval, setTimeout, TimerWheel, type Timeout } from 'timeout-wheel'
    import { TimerWheel as NativeWheel } from 'timeout-wheel/native'
    import { promises, type TimersPromises } from 'timeout-wheel'
    import { register, unregister } from 'timeout-wheel/register'
    import { type IdleTimeout, idleTimeout } from 'timeout-wheel/http'
    import { createServer } from 'node:http'
    import { createServer as createTlsServer } from 'node:tls'
    import { scheduler, setImmediate, setInterval as ticks, setTimeout as wait } from 'timeout-wheel/promises'
    import { backend as wasm } from 'timeout-wheel/wasm'

    const chosen: 'native' | 'wasm' = backend
    const forced: 'wasm' = wasm
    const timeout: Timeout = setTimeout((a: number, b: string) => { void [a, b] }, 10, 1, 'two')
    clearTimeout(timeout.unref().ref().refresh())
    clearTimeout(setInterval(() => {}, 10))
    const wheel: TimerWheel = new TimerWheel({ tick: 1, budget: 5, asyncContext: false })
    const id: number = wheel.schedule((text: string) => { void text }, 10, 'argument')
    const wasPending: boolean = wheel.reschedule(id, 20) && wheel.cancel(id)
    const pending: number = new NativeWheel().pending
    wheel.stop()
    const timers: TimersPromises = promises
    const registered: boolean = register()
    const left: string[] = unregister()
    export async function waits(signal: AbortSignal): Promise<string> {
      await timers.setTimeout()
      await scheduler.wait(10, { signal })
      await scheduler.yield()
      for await (const n of ticks(10, 1, { ref: false })) return n.toFixed()
      return (await wait(10, 'value', { signal })) + (await setImmediate('value'))
    }
    const idle: IdleTimeout = idleTimeout(createServer(), 60_000, { wheel: new TimerWheel() })
    idle.delay = idleTimeout(createTlsServer(), 5).size
    // @ts-expect-error a tick is a number
    new TimerWheel({ tick: '1' })
    // @ts-expect-error there is no such option
    new TimerWheel({ ticks: 1 })
    // @ts-expect-error a callback is a function
    wheel.schedule('callback', 10)
    export const used = [registered, left, chosen, forced, wasPending, pending]
  `

  it.each([
    ['an ES module under nodenext', 'use.mts', ['--module', 'nodenext']],
    ['a CommonJS module under nodenext', 'use.cts', ['--module', 'nodenext']],
    ['a bundled module', 'use.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('compile in %s', async (_, file, options) => {
    writeFileSync(join(project.folder, file), USE)
    const strict = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,esnext.disposable',
    ]
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]
    const { stdout } = await execute(tool('tsc'), [...strict, ...options, ...types, file], project.folder)
    expect(stdout).toBe('')
  })
})
