/** The declarations of dist/ compile with each TypeScript from the oldest that the package supports, in all that programs configure. */
import { cpSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scaled } from '../scale.js'
import { temporaryFolder } from '../temporary-folder.js'
import { type Compiled, compile, compileByTsc } from './compile.js'

const variable = process.env.TIMEOUT_WHEEL_TYPESCRIPTS
if (variable === undefined) throw new Error('the compilers are missing: run `npm test -- types`')
/** The folder of each TypeScript by its version. .tooling/runtimes.mjs installs them. */
const typescripts: Record<string, string> = JSON.parse(variable)
const ROOT = join(__dirname, '../..')

const ESM = 'program.ts durable.ts results.ts'
/** How a program finds its modules, and the files that can be compiled so. */
const MODULES = {
  node16: `--module node16 ${ESM} required.cts`,
  nodenext: `--module nodenext ${ESM} required.cts`,
  bundler: `--module esnext --moduleResolution bundler ${ESM}`,
  node10: `--module commonjs --moduleResolution node10 --esModuleInterop ${ESM} required.cts`,
  pages: '--module esnext --moduleResolution bundler --customConditions browser page.ts results.ts',
}
/** The types that a program has besides ours, and the files that need no others. There is no folder `none`. */
const TYPES = {
  'the language alone': '--lib es2020 --typeRoots none signal.ts',
  'the DOM': '--lib es2020,dom --typeRoots none assigned.ts',
  Node: '--lib es2020 --types node assigned.ts',
  'Node and the DOM': '--lib es2022,dom --types node assigned.ts',
  'the newest language and the DOM': '--lib esnext,dom --typeRoots none assigned.ts',
}
type Configuration = [module: keyof typeof MODULES, types: keyof typeof TYPES]

const names = <Key extends string>(table: Record<Key, string>) => Object.keys(table) as Key[]
const ALL = names(MODULES).flatMap((module) => names(TYPES).map((types): Configuration => [module, types]))
/** Each module and each kind of types at least once. */
const SOME: Configuration[] = [
  ['node16', 'the language alone'],
  ['nodenext', 'Node'],
  ['bundler', 'the DOM'],
  ['node10', 'Node and the DOM'],
  ['pages', 'the DOM'],
  ['pages', 'the newest language and the DOM'],
]

/** A project with the types of Node and of the package. No link to the package: it would be looked at as outside of node_modules. */
const project = temporaryFolder()
beforeAll(() => {
  cpSync(join(__dirname, 'plain'), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const installed = join(project, 'node_modules/timeout-wheel')
  const isType = (path: string): boolean => statSync(path).isDirectory() || /\.d\.[mc]ts$/.test(path)
  cpSync(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true, filter: isType })
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules/@types'), join(project, 'node_modules/@types'), 'junction')
})

function wordsOf(version: number, [module, types]: Configuration): string[] {
  const all = ['--strict --exactOptionalPropertyTypes --target es2020', MODULES[module], TYPES[types]]
  if (version >= 5.2 && module !== 'node10') all.push('using.ts')
  // A handle of a page has no fields of Node's handles.
  const isForeign = module === 'pages' && types.startsWith('Node')
  if (version === 6 && module === 'node10') all.push('--ignoreDeprecations 6.0')
  const words = all.join(' ').split(' ')
  return isForeign ? words.filter((word) => word !== 'assigned.ts') : words
}

describe.each(Object.keys(typescripts))('TypeScript %s', (name) => {
  const version = Number(name)
  // TypeScript 7 has no such resolution.
  const configurations = scaled(SOME, ALL).filter(([module]) => version < 7 || module !== 'node10')
  let outcomes: Compiled[]
  beforeAll(async () => {
    const programs = configurations.map((one) => wordsOf(version, one))
    const typescript = typescripts[name]!
    outcomes =
      version < 7
        ? await compile(project, programs, typescript)
        : await Promise.all(programs.map((words) => compileByTsc(project, words, typescript)))
  })

  it.each(configurations.map((one, i) => [...one, i] as const))('compiles: %s, %s', (_module, _types, i) => {
    expect(outcomes[i]).toEqual({ problems: '', checked: expect.any(Number) })
    expect(outcomes[i]!.checked).toBeGreaterThan(1)
  })
})

it('states the oldest of them', () => {
  const [oldest] = Object.keys(typescripts)
  const { typesVersions } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(Object.keys(typesVersions)).toEqual([`>=${oldest}`])
  expect(readFileSync(join(ROOT, 'docs/api.md'), 'utf8')).toContain(`TypeScript ${oldest} or later`)
})
