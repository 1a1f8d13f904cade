/** The directions in which the parts may know each other: see CONTRIBUTING.md. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from '@jest/globals'

const ROOT = join(__dirname, '..')

/** The files of a folder, relative to the package, without what the build makes. */
function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !file.startsWith('lib/generated/'))
    .sort()
}

function matches(file: string, pattern: RegExp): string[] {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map((match) => match[1]!)
}

/** What the files of a folder bring in, as `file -> what`: files of the package by their path, all else by its name. */
function edges(folder: string, pattern: RegExp): { from: string; to: string }[] {
  return filesOf(folder).flatMap((from) =>
    matches(from, pattern).map((to) => ({ from, to: to.startsWith('.') ? join(dirname(from), to) : to })),
  )
}

const show = ({ from, to }: { from: string; to: string }): string => `${from} -> ${to}`

const INCLUDE = /^\s*#\s*include\s+["<]([^">]+)[">]/gm
const IMPORT = /^(?:import|export)\s(?:[\w\s{},*$]*?from\s+)?['"]([^'"]+)['"]/gm
const LOAD = /^(?:import|export)\s(?!type\s)(?:[\w\s{},*$]*?from\s+)?['"]([^'"]+)['"]/gm

describe('the C++ side', () => {
  /** Of the standard library: what needs neither a clock, nor threads, nor input and output. */
  const STANDARD = new Set(
    'algorithm array atomic bit cassert cmath cstddef cstdint cstdlib cstring limits new string type_traits unordered_set utility vector'.split(
      ' ',
    ),
  )
  const resolve = (edge: { from: string; to: string }): { from: string; to: string } =>
    edge.to.includes('/') || !edge.to.endsWith('.h')
      ? edge
      : { ...edge, to: join(dirname(edge.from), edge.to) }
  const includesOf = (folder: string): { from: string; to: string }[] => edges(folder, INCLUDE).map(resolve)

  it('has a core that includes only itself and a clockless standard library', () => {
    const includes = includesOf('native/core')
    const foreign = includes.filter(({ to }) => !STANDARD.has(to) && !to.startsWith('native/core/'))
    expect(foreign.map(show)).toEqual([])
    expect(includes.length).toBeGreaterThan(20)
  })

  it('has a core that takes time as an argument', () => {
    const clocks =
      /\b(chrono|clock_gettime|gettimeofday|uv_now|uv_hrtime|emscripten_get_now|time\(\s*(?:NULL|nullptr|0)?\s*\))/g
    expect(
      filesOf('native/core').flatMap((file) => matches(file, clocks).map((to) => `${file}: ${to}`)),
    ).toEqual([])
  })

  it.each([
    ['native/node', 'wasm'],
    ['wasm', 'native/node'],
  ])('has %s include the core and never %s', (folder, other) => {
    const includes = includesOf(folder)
    expect(includes.filter(({ to }) => to.startsWith(`${other}/`)).map(show)).toEqual([])
    expect(includes.some(({ to }) => to.startsWith('native/core/'))).toBe(true)
  })

  it('has only the addon include what Node and libuv offer', () => {
    const hosts = ['native/core', 'wasm'].flatMap(includesOf)
    expect(hosts.filter(({ to }) => /napi|node_api|uv\.h|emscripten/.test(to)).map(show)).toEqual([])
  })
})

describe('the TypeScript side', () => {
  const imports = edges('lib', IMPORT).map(({ from, to }) => ({ from, to: to.replace(/\.js$/, '.ts') }))
  /** The files that import one which the pattern finds. */
  const importersOf = (pattern: RegExp): string[] =>
    [...new Set(imports.filter(({ to }) => pattern.test(to)).map(({ from }) => from))].sort()
  const isIn =
    (...folders: string[]) =>
    (file: string) =>
      folders.some((folder) => file.startsWith(folder))

  it('sees every import', () => {
    expect(imports.length).toBeGreaterThan(40)
    expect(importersOf(/^lib\/backend\.ts$/)).toContain('lib/scheduler.ts')
  })

  it('chooses a backend in the entries alone', () => {
    const importers = importersOf(/^lib\/backend\//)
    expect(importers.filter((file) => !isIn('lib/entry/', 'lib/backend/')(file))).toEqual([])
    expect(importers).toContain('lib/entry/library.ts')
  })

  it('imports no entry from anywhere but an entry', () => {
    expect(importersOf(/^lib\/entry\//).filter((file) => !isIn('lib/entry/')(file))).toEqual([])
  })

  it('chooses a host in the entries alone', () => {
    const importers = importersOf(/^lib\/hosts\//)
    expect(importers.filter((file) => !isIn('lib/entry/', 'lib/hosts/')(file))).toEqual([])
    expect(importers).toContain('lib/entry/library.ts')
  })

  it('reaches the WebAssembly bytes through one file', () => {
    expect(importersOf(/^lib\/generated\//)).toEqual(['lib/backend/wasm_bytes.ts'])
  })

  it('has drivers that know the interface of a backend and no binary', () => {
    const drivers = imports.filter(({ from }) => from.startsWith('lib/drivers/'))
    const known = ['lib/backend.ts', 'lib/errors.ts', 'lib/host.ts', 'lib/memory.ts']
    expect(
      drivers.filter(({ to }) => !known.includes(to) && !to.startsWith('lib/drivers/')).map(show),
    ).toEqual([])
    expect(drivers.some(({ to }) => to === 'lib/backend.ts')).toBe(true)
  })

  it('keeps where things lie in the shared memory to those who work on it', () => {
    expect(
      importersOf(/^lib\/memory\.ts$/).filter((file) => !isIn('lib/drivers/', 'lib/backend/')(file)),
    ).toEqual([
      // Reads the clock and the end of the epoch, and renumbers the records.
      'lib/epochs.ts',
      // Writes deadlines, order numbers, and how to adjust them.
      'lib/filing.ts',
      // An id names a record's place in its block.
      'lib/ids.ts',
      // The same for pages, in two files.
      'lib/page/ids.ts',
      'lib/page/scheduler.ts',
      // Has the views.
      'lib/records.ts',
      // Goes through the expirations.
      'lib/scheduler.ts',
    ])
  })

  it('has layers of the scheduler that know the one below, and none above', () => {
    const layers = ['records', 'epochs', 'filing', 'scheduler'].map((name) => `lib/${name}.ts`)
    const between = imports.filter(({ from, to }) => layers.includes(from) && layers.includes(to))
    const upwards = between.filter(({ from, to }) => layers.indexOf(to) >= layers.indexOf(from))
    expect(upwards.map(show)).toEqual([])
    for (const [i, layer] of layers.slice(1).entries())
      expect(between.map(show)).toContain(`${layer} -> ${layers[i]}`)
  })

  it('loads no file that needs itself', () => {
    // Types are gone by then.
    const loads = edges('lib', LOAD).map(({ from, to }) => ({ from, to: to.replace(/\.js$/, '.ts') }))
    const needs = (file: string, seen = new Set<string>()): Set<string> => {
      for (const { from, to } of loads) {
        if (from !== file || seen.has(to)) continue
        seen.add(to)
        needs(to, seen)
      }
      return seen
    }
    expect(needs('lib/scheduler.ts')).toContain('lib/records.ts')
    expect(filesOf('lib').filter((file) => needs(file).has(file))).toEqual([])
  })

  it("asks for Node's modules only where Node is the host", () => {
    const nodeOnly = ['lib/builtin.ts', 'lib/entry/register.ts', 'lib/hosts/node.ts']
    expect(importersOf(/^node:/)).toEqual(nodeOnly)
    const reaching = (file: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(file)) return seen
      seen.add(file)
      for (const { from, to } of imports) if (from === file) reaching(to, seen)
      return seen
    }
    const reachedByBrowser = reaching('lib/entry/browser.ts')
    expect(nodeOnly.filter((file) => reachedByBrowser.has(file))).toEqual([])
    expect(reachedByBrowser.has('lib/scheduler.ts')).toBe(true)
  })

  it('imports no package', () => {
    const packages = imports.filter(({ to }) => !to.startsWith('lib/') && !to.startsWith('node:'))
    expect(packages.map(show)).toEqual([])
  })

  it('throws its errors about arguments from one file, and those in the words of Node from another', () => {
    const thrown = filesOf('lib').filter(
      (file) => matches(file, /((?:Node)?(?:Type|Range)Error)[(,]/g).length > 0,
    )
    expect(thrown).toEqual(['lib/errors.ts', 'lib/node_errors.ts'])
  })
})

describe('the package', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

  it('has no dependency at run time', () => {
    for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) {
      expect(Object.keys(manifest[kind] ?? {})).toEqual([])
    }
  })

  it('runs no script when it is installed', () => {
    const scripts = [
      'preinstall',
      'install',
      'postinstall',
      'prepare',
      'prepublish',
      'preprepare',
      'postprepare',
    ]
    expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([])
    // npm would compile by itself where it finds this file.
    expect(readdirSync(ROOT)).not.toContain('binding.gyp')
  })

  it('is used by its tests and benchmarks through its public entries', () => {
    const users = ['test/contract', 'test/node', 'bench'].flatMap((folder) =>
      edges(folder, /(?:from|import|require)\b\s*\(?\s*['"]([^'"]+)['"]/g),
    )
    expect(users.filter(({ to }) => /^(lib|dist|prebuilds)\//.test(to)).map(show)).toEqual([])
    expect(users.some(({ to }) => to.startsWith('timeout-wheel/'))).toBe(true)
  })
})

describe('the mutants', () => {
  it('still fit the sources they put a fault into', () => {
    const run = join('test', 'mutants', 'run.mjs')
    const { status, stderr, stdout } = spawnSync(process.execPath, [run, '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' })
  })
})
