/** Tools that collect a program's files, nft, ncc and webpack, find the addons. The program runs on it from a copy, without the package. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scaled } from '../scale.js'
import { execute, ROOT, useProject, WEBPACK } from './installed.js'

const [NFT, NCC] = ['nft', 'ncc'].map((name) => join(ROOT, `build/tracers/node_modules/@vercel/${name}`))
if (![NFT, NCC].every((folder) => existsSync(folder!)))
  throw new Error('the tracers are missing: run `npm test -- packed`')

const USE = 'setTimeout(() => console.log(backend), 1)'
const PROGRAMS = ['timeout-wheel', 'timeout-wheel/native'].flatMap((entry): [string, string, string][] => [
  [entry, 'program.mjs', `import { backend, setTimeout } from '${entry}'\n${USE}`],
  [entry, 'program.cjs', `const { backend, setTimeout } = require('${entry}')\n${USE}`],
])

const project = useProject()

/** A project of its own, whose package can be taken away. */
function newProject(file: string, text: string): string {
  const folder = mkdtempSync(join(project.folder, 'traced-'))
  cpSync(join(project.folder, 'node_modules'), join(folder, 'node_modules'), { recursive: true })
  writeFileSync(join(folder, file), text)
  return folder
}

/** The addons of the package. */
const addons = (): string[] =>
  readdirSync(join(project.packageFolder, 'prebuilds')).map((one) => `prebuilds/${one}/timeout_wheel.node`)

async function must(folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await execute(process.execPath, args, folder)
  expect({ code, stderr, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stderr: '', stdout: '' })
  return stdout
}

/** Copies files to another folder, and takes the first folder away, so that no file in it is found. */
function moveTo(folder: string, files: string[]): string {
  const copy = mkdtempSync(join(dirname(folder), 'moved-'))
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(folder, file), join(copy, file), { recursive: true })
  }
  renameSync(folder, `${folder}-away`)
  return copy
}

const TRACE = `
  const { nodeFileTrace } = require(${JSON.stringify(NFT)})
  nodeFileTrace([process.argv[2]], { base: __dirname }).then(({ fileList, warnings }) => {
    for (const warning of warnings) console.error(String(warning))
    console.log([...fileList].join('\\n'))
  })`

describe.each(PROGRAMS)('%s in %s, its files collected: native', (entry, file, text) => {
  it.concurrent('is traced by nft with the addon of each platform', async () => {
    const folder = newProject(file, text)
    writeFileSync(join(folder, 'trace.cjs'), TRACE)
    const files = (await must(folder, 'trace.cjs', file)).trimEnd().split('\n')
    const traced = files.filter((one) => one.endsWith('.node')).sort()
    expect(traced).toEqual(addons().map((addon) => `node_modules/timeout-wheel/${addon}`))
    if (file.endsWith('.mjs')) expect(files).toContain('node_modules/timeout-wheel/dist/node.mjs')
    expect(await must(moveTo(folder, files), file)).toBe('native\n')
  })

  // ncc looks for files in no file whose name ends with .cjs. So it finds no addon for `require`, and no entry that loads such a file.
  const test = file.endsWith('.mjs') && entry === 'timeout-wheel' ? it.concurrent : it.skip
  test('runs on the addon that ncc has copied', async () => {
    const folder = newProject(file, text)
    await must(folder, join(NCC!, 'dist/ncc/cli.js'), 'build', '--quiet', file, '--out', 'out')
    const [main] = readdirSync(join(folder, 'out')).filter((name) => /^index\.[cm]?js$/.test(name))
    expect(await must(moveTo(folder, ['out']), `out/${main}`)).toBe('native\n')
  })

  it.concurrent('runs on the addon that webpack has copied', async () => {
    const folder = newProject(file, text)
    writeFileSync(join(folder, 'webpack.cjs'), WEBPACK)
    // One of them, because that takes seconds.
    const isMinimized = scaled(entry === 'timeout-wheel' && file.endsWith('.mjs'), true)
    await must(folder, 'webpack.cjs', file, `${isMinimized}`)
    expect(await must(moveTo(folder, ['out']), 'out/out.cjs')).toBe('native\n')
  })
})
