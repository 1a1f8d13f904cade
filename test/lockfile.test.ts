/** package-lock.json is complete: `npm install` leaves it as it is, on each platform. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../.tooling/child.cjs'
import { temporaryFolder } from './temporary-folder.js'

interface Locked {
  optionalDependencies?: Record<string, string>
  hasInstallScript?: boolean
  resolved?: string
  libc?: string[]
}

const ROOT = join(__dirname, '..')
const read = (folder: string, name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, name), 'utf8'))
const packagesIn = (folder: string): Record<string, Locked> =>
  read(folder, 'package-lock.json').packages as Record<string, Locked>
const packages = packagesIn(ROOT)
/** The name of a package in the path of its folder. */
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

const copy = temporaryFolder()

/** The folders in which Node looks for what a package requires. */
function foldersFrom(path: string): string[] {
  const owners = path.split('/node_modules/')
  const nested = owners.map(
    (_, i) => `${owners.slice(0, owners.length - i).join('/node_modules/')}/node_modules/`,
  )
  return [...nested, 'node_modules/']
}

it('has the optional packages of all platforms', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !foldersFrom(path).some((folder) => Object.hasOwn(packages, folder + name)),
    ),
  )
  // npm adds them if node_modules and package-lock.json are removed first.
  expect(missing).toEqual([])
})

it('is left alone by npm install', async () => {
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(join(ROOT, name), join(copy, name))
  const options = ['--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  const { code, stderr } = await run('npm', ['install', ...options], { cwd: copy, limit: 60_000 })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  // npm 10 does not know `libc`.
  const withoutLibc = (all: Record<string, Locked>): Record<string, Locked> =>
    Object.fromEntries(Object.entries(all).map(([path, { libc: _, ...rest }]) => [path, rest]))
  expect(withoutLibc(packagesIn(copy))).toEqual(withoutLibc(packages))
})

it('names no registry', () => {
  expect(Object.keys(packages).filter((path) => packages[path]!.resolved !== undefined)).toEqual([])
})

it('has no package with an install script that package.json does not refuse', () => {
  const withScript = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript)
  const refused = Object.fromEntries(withScript.map((path) => [nameOf(path), false]))
  expect(read(ROOT, 'package.json').allowScripts).toEqual(refused)
})
