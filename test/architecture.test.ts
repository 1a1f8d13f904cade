/** The directions in which the parts know each other. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(__dirname, '..')

/** The files of a folder, relative to the package, without generated ones. */
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

interface Edge {
  from: string
  to: string
}

/** The includes or imports of a folder's files: files of the package by path, all others by name. */
function edges(folder: string, pattern: RegExp): Edge[] {
  return filesOf(folder).flatMap((from) =>
    matches(from, pattern).map((to) => ({ from, to: to.startsWith('.') ? join(dirname(from), to) : to })),
  )
}

const show = ({ from, to }: Edge): string => `${from} -> ${to}`

const INCLUDE = /^\s*#\s*include\s+["<]([^">]+)[">]/gm
const IMPORT = /^(?:import|export)\s(?:[\w\s{},*$]*?from\s+)?['"]([^'"]+)['"]/gm
const LOAD = /^(?:import|export)\s(?!type\s)(?:[\w\s{},*$]*?from\s+)?['"]([^'"]+)['"]/gm

describe('the C++ side', () => {
  const TESTING = 'native/core/testing/'
  /** The headers of the standard library that need no clock, no threads and no input or output. */
  const STANDARD =
    'algorithm array atomic bit cassert cmath cstddef cstdint cstdlib cstring limits new type_traits utility'
  const resolve = ({ from, to }: Edge): Edge =>
    to.includes('/') || !to.endsWith('.h') ? { from, to } : { from, to: join(dirname(from), to) }
  const includesOf = (folder: string): Edge[] => edges(folder, INCLUDE).map(resolve)

  it.each<[folder: string, what: string, included: RegExp]>([
    ['native/core', 'itself and a clockless standard library', /^native\/core\//],
    ['wasm', 'the core and the same library', /^(native\/core|wasm)\//],
    ['native/node', 'what Node and libuv offer, but not wasm', /^(?!wasm\/)/],
  ])('has %s include only %s', (folder, _what, included) => {
    const includes = includesOf(folder).filter(({ from }) => !from.startsWith(TESTING))
    const foreign = includes.filter(({ to }) => !STANDARD.split(' ').includes(to) && !included.test(to))
    expect(foreign.map(show)).toEqual([])
    expect(includes.some(({ to }) => to.startsWith('native/core/'))).toBe(true)
  })

  it('ships nothing of native/core/testing', () => {
    const shipped = ['native/core', 'native/node', 'wasm']
      .flatMap(includesOf)
      .filter(({ from }) => !from.startsWith(TESTING))
    expect(shipped.filter(({ to }) => to.includes('testing/')).map(show)).toEqual([])
    expect(includesOf('test/core').some(({ to }) => to.endsWith('testing/client.h'))).toBe(true)
  })

  it('has a core that takes time as an argument', () => {
    const clocks =
      /\b(chrono|clock_gettime|gettimeofday|uv_now|uv_hrtime|emscripten_get_now|time\(\s*(?:NULL|nullptr|0)?\s*\))/g
    expect(edges('native/core', clocks).map(show)).toEqual([])
  })
})

describe('the TypeScript side', () => {
  const inLib = (pattern: RegExp): Edge[] =>
    edges('lib', pattern).map(({ from, to }) => ({ from, to: to.replace(/\.js$/, '.ts') }))
  /** All imports, those of types included. */
  const imports = inLib(IMPORT)
  /** The imports that are left when the program runs. */
  const loads = inLib(LOAD)
  /** The files that import a file whose path matches. */
  const importersOf = (pattern: RegExp, among = imports): string[] =>
    [...new Set(among.filter(({ to }) => pattern.test(to)).map(({ from }) => from))].sort()
  const isIn =
    (...folders: string[]) =>
    (file: string) =>
      folders.some((folder) => file.startsWith(folder))
  /** All files that a file needs when the program runs. */
  const neededBy = (file: string, seen = new Set<string>()): Set<string> => {
    for (const { from, to } of loads) {
      if (from !== file || seen.has(to)) continue
      seen.add(to)
      neededBy(to, seen)
    }
    return seen
  }

  it('sees every import, and tells types from code', () => {
    expect(imports.length).toBeGreaterThan(loads.length)
    const edge = 'lib/page/wheel.ts -> lib/api/wheel.ts'
    expect(imports.map(show)).toContain(edge)
    expect(loads.map(show)).not.toContain(edge)
  })

  it('has folders that know only the ones below them', () => {
    /** The folders that each folder may load code from, besides itself. */
    const below: Record<string, string[]> = {
      api: [],
      common: [],
      memory: ['common', 'generated'],
      kernel: ['common', 'memory'],
      map: ['common'],
      wheel: ['common', 'kernel', 'map'],
      node: ['common', 'generated', 'kernel', 'map', 'memory', 'wheel'],
      page: ['common', 'kernel', 'map', 'memory', 'wheel'],
      workerd: ['common', 'map', 'page', 'wheel'],
      entry: ['common', 'durable', 'map', 'memory', 'node', 'page', 'wheel', 'workerd'],
      // A program of its own, and an entry that imports the package as programs do.
      top: ['common'],
      doctor: ['node'],
      durable: [],
    }
    const folderOf = (file: string): string => file.split('/')[1]!
    const wrong = (among: Edge[], ...known: string[]): Edge[] =>
      among.filter(({ from, to }) => {
        if (!to.startsWith('lib/') || from === 'lib/types.ts') return false
        const [own, other] = [folderOf(from), folderOf(to)]
        return own !== other && ![...below[own]!, ...known].includes(other)
      })
    expect(wrong(loads).map(show)).toEqual([])
    // All may know the types of these.
    expect(wrong(imports, 'api', 'kernel', 'memory', 'types.ts').map(show)).toEqual([])
    expect(new Set(Object.keys(below).concat('types.ts'))).toEqual(new Set(filesOf('lib').map(folderOf)))
  })

  it.each<[what: string, files: RegExp, importers: RegExp, among?: Edge[]]>([
    ['what requests need on workerd', /^lib\/workerd\//, /^lib\/entry\/workerd/],
    ['the host of Node', /^lib\/node\/host\/node-host/, /^lib\/entry\/choose-backend/, loads],
    [
      'a binary',
      /^lib\/memory\/(native-core|wasm-core|instantiate-wasm)/,
      /^lib\/(entry\/(browser|choose-backend|workerd)|node\/on-demand\/features)/,
      loads,
    ],
    ['what is loaded on demand', /^lib\/node\/on-demand\/features/, /^lib\/node\/on-demand\/load/, loads],
    ['the bytes of WebAssembly', /^lib\/generated\/wasm-bytes/, /^lib\/memory\/instantiate-wasm/],
  ])('imports %s only where it is chosen', (_what, files, importers, among = imports) => {
    const own = dirname(among.find(({ to }) => files.test(to))!.to)
    const others = importersOf(files, among).filter((file) => dirname(file) !== own || importers.test(file))
    expect(others.length).toBeGreaterThan(0)
    expect(others.filter((file) => !importers.test(file))).toEqual([])
  })

  it('loads on demand a file that has copies only of code without state', () => {
    const features = 'lib/node/on-demand/features.ts'
    const inBoth = [...neededBy(features)].filter((file) =>
      neededBy('lib/entry/choose-backend.ts', new Set([features])).has(file),
    )
    expect(inBoth).toContain('lib/common/checks.ts')
    // A variable, an object with an identity, or a symbol that only one copy of the code has.
    const state =
      /^(?:export )?(?:let .*|const \w+(?:: [^=]+)? = (?:new |Symbol\().*|class \w+ extends (?:Error|Type|Range).*)$/gm
    expect(
      inBoth.flatMap((file) =>
        [...readFileSync(join(ROOT, file), 'utf8').matchAll(state)].map(([line]) => `${file}: ${line}`),
      ),
    ).toEqual([])
  })

  it.each<[what: string, nodeOf: (file: string) => string]>([
    ['files', (file) => file],
    ['folders', dirname],
  ])('has no circle of imports among %s, in types too', (_what, nodeOf) => {
    const targets = new Map<string, Set<string>>()
    for (const { from, to } of imports.filter((edge) => edge.to.startsWith('lib/'))) {
      const [own, other] = [nodeOf(from), nodeOf(to)]
      if (own === other && from !== to) continue
      targets.set(own, (targets.get(own) ?? new Set()).add(other))
    }
    /** Whether a walk along the imports leads back to its start. */
    const leadsBack = (start: string): boolean => {
      const seen = new Set<string>()
      for (const next = [start]; next.length > 0; ) {
        for (const to of targets.get(next.pop()!) ?? []) {
          if (to === start) return true
          if (!seen.has(to)) next.push(to)
          seen.add(to)
        }
      }
      return false
    }
    expect(targets.get(nodeOf('lib/node/wheel.ts'))).toContain(nodeOf('lib/wheel/looks.ts'))
    expect([...targets.keys()].filter(leadsBack)).toEqual([])
  })

  it("asks for Node's modules only on Node", () => {
    const nodeOnly = ['lib/entry/register.ts', 'lib/node/idle-timeout.ts']
    expect(
      importersOf(/^node:/).filter((file) => !isIn('lib/doctor/', 'lib/top/', 'lib/durable/')(file)),
    ).toEqual(nodeOnly)
    const browser = neededBy('lib/entry/browser.ts')
    expect(nodeOnly.filter((file) => browser.has(file))).toEqual([])
    expect(browser).toContain('lib/kernel/kernel.ts')
  })

  it('uses nothing that Node does not document, but the function that runs next ticks', () => {
    const undocumented =
      /(\bprocess\._\w+|\b_(?:tickCallback|fatalException|getActive\w+|unrefTimer|linkedBinding|handle|events\w*|idleNext|idlePrev|\w+State)\b|\bmoduleLoadList\b|\binternalBinding\b|\bprocess\.binding\b|\b(?:getOwnPropertySymbols|getOwnPropertyDescriptors|ownKeys)\b|\bbound #|\.description\b|['"](?:NativeModule |internal\/))/g
    const found = filesOf('lib').flatMap((file) =>
      matches(file, undocumented).map((name) => `${file}: ${name}`),
    )
    const allowed = [
      'lib/node/host/node-host.ts: _tickCallback',
      // They copy the fields of our own handles, whose base class is Node's, and name none.
      'lib/node/handles/base.ts: getOwnPropertySymbols',
      'lib/node/handles/handle.ts: ownKeys',
      // The names of functions of `node:test`, which fakes timers without a mark.
      'lib/common/patch-globals.ts: bound #',
      'lib/durable/common/time.ts: bound #',
    ]
    expect(found.sort()).toEqual(allowed.sort())
  })

  it('imports no package, but for durable timers', () => {
    const packages = imports.filter(({ to }) => !to.startsWith('lib/') && !to.startsWith('node:'))
    expect(new Set(packages.map(({ to }) => to))).toEqual(new Set(['timeout-wheel']))
    expect(packages.map(({ from }) => from).filter((file) => !file.startsWith('lib/durable/'))).toEqual([])
  })
})

describe('the package', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

  it('has no dependency at run time, but for optional ones of durable timers', () => {
    for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies']) {
      expect(Object.keys(manifest[kind] ?? {})).toEqual([])
    }
    expect(Object.keys(manifest.peerDependencies)).toEqual(['croner', 'pg'])
    expect(manifest.peerDependenciesMeta).toEqual({ croner: { optional: true }, pg: { optional: true } })
  })

  it('runs no script when it is installed', () => {
    const scripts = 'preinstall install postinstall prepare prepublish preprepare postprepare'.split(' ')
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

describe('the children of tests, benchmarks and tools', () => {
  /** Files that import Node's own module, with the reason. */
  const ALLOWED: Record<string, string> = {
    '.tooling/child.cjs': 'all other files start their children by it',
    'bench/self/measure.mjs':
      'a part of the command that the package ships; its children end with their channel',
    'test/docs/slowly.mjs': 'needs a pause in real time that blocks the thread, under a virtual clock',
    'test/node/register/internals.test.ts': 'its programs test the time limit of this module',
    'test/node/top.test.ts': 'its program starts a child as a program of a user does',
  }

  it('are started by one file', () => {
    const use = /^(?!\s*(?:\/\*)?\*).*(?:from|import|require)\b\s*\(?\s*['"](?:node:)?(child_process)['"]/gm
    const files = ['test', 'bench', '.tooling'].flatMap(filesOf).filter((file) => /\.[cm]?[jt]s$/.test(file))
    const users = files.filter((file) => matches(file, use).length > 0)
    expect(users.sort()).toEqual(Object.keys(ALLOWED))
  })
})
