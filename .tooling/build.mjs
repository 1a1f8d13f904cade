/**
 * Builds the package: the addon, the WebAssembly module, and the JavaScript that contains the module. Builds only what has
 * changed.
 *
 *   node .tooling/build.mjs [--only=addon|wasm|lib]
 */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { buildAddonFor } from './addon.mjs'
import { cmakeBuild } from './cmake.mjs'
import { pack } from './pack.mjs'
import { buildPages } from './pages.mjs'
import { setUp } from './setup.mjs'
import { shorten } from './shorten.mjs'
import { fail, filesUnder, isUpToDate, localBin, mustRun, platform, root, say } from './step.mjs'

const MAX_WASM_BYTES = 8192
const GLOBAL_SECTION = 6
/** The address of the first block of the memory that JavaScript shares: see native/core/layout.h. */
const BLOCKS_ADDRESS = 262144

const WASM = 'build/wasm/timeout_wheel.wasm'
/** The module as the linker makes it, with further exports. */
const LINKED_WASM = 'build/wasm/linked.wasm'
/** The exports that JavaScript uses: see wasm/exports.cc. */
const WASM_EXPORTS = ['memory', 'open', 'extend', 'begin', 'end', 'take', 'advance']
/** The copy beside the module that imports it. */
const SHIPPED_WASM = 'dist/workerd/timeout_wheel.wasm'
/** The entries of lib/entry, for pages, for workerd and for Node. */
const PAGE_ENTRIES = ['browser', 'promises-browser']
const WORKERD_ENTRIES = ['workerd', 'promises-workerd']
const NODE_ENTRIES = ['node', 'native', 'wasm', 'promises', 'register', 'http']
/** What the entries for Node share: nearly all of their code. */
const SHARED = [
  'dist/choose-backend.mjs',
  'dist/choose-backend.cjs',
  'dist/features.cjs',
  'dist/whole/choose-backend.mjs',
]
/** The files that the last complete build of dist/ has made: it is up to date if none of them is missing or old. */
const BUILT_FILES = 'build/dist.json'
/** The sources of the benchmark that `npx timeout-wheel` contains. */
const CLI_SOURCES = [
  'bench/self',
  'bench/contenders',
  'bench/report/format.mjs',
  'bench/runner/garbage.mjs',
  'bench/runner/inside.mjs',
  'bench/runner/random.mjs',
  'bench/runner/statistics.mjs',
  ...['hold', 'refresh', 'set-clear', 'set-fire'].map((part) => `bench/parts/${part}.mjs`),
]
const WASM_BYTES = 'lib/generated/wasm-bytes.ts'

async function buildAddon() {
  if (process.platform === 'win32') {
    say(
      'addon: not built on Windows, where WebAssembly takes its place. Linux builds it: npm run prebuilds -- win32-x64',
    )
    return
  }
  say(`addon: ${await buildAddonFor(platform)}`)
}

/** The numbers of the sections of a module. A section consists of its number, its size and its bytes. */
function sectionsOf(bytes) {
  const sections = []
  for (let at = 8; at < bytes.length; ) {
    sections.push(bytes[at++])
    let size = 0
    for (let shift = 0, more = true; more; shift += 7) {
      more = bytes[at] >= 128
      size += (bytes[at++] & 127) << shift
    }
    at += size
  }
  return sections
}

function checkWasm(bytes) {
  const module = new WebAssembly.Module(bytes)
  const imports = WebAssembly.Module.imports(module)
  if (imports.length > 0)
    fail(`${WASM} has imports: ${imports.map((one) => `${one.module}.${one.name}`).join(', ')}`)
  if (bytes.length > MAX_WASM_BYTES)
    fail(`${WASM} has ${bytes.length} bytes, and the limit is ${MAX_WASM_BYTES}`)
  const names = WebAssembly.Module.exports(module).map(({ name }) => name)
  // The only possible global is the stack pointer.
  if (sectionsOf(bytes).includes(GLOBAL_SECTION)) fail(`${WASM} has a stack pointer: see wasm/exports.cc`)
  if (names.sort().join() !== WASM_EXPORTS.slice().sort().join()) fail(`${WASM} exports ${names.join(', ')}`)
}

function checkLinkedWasm(bytes) {
  const { __heap_base: end } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports
  if (end === undefined || end.value > BLOCKS_ADDRESS) {
    fail(
      `the data and the stack of ${LINKED_WASM} end at ${end?.value}, past the start of the blocks at ${BLOCKS_ADDRESS}`,
    )
  }
}

/** Removes the exports that JavaScript does not use, and the code that only these use. */
async function stripWasm() {
  const roots = [
    { name: 'JavaScript', root: true, reaches: WASM_EXPORTS },
    ...WASM_EXPORTS.map((name) => ({ name, export: name })),
  ]
  const graph = 'build/wasm/exports.json'
  writeFileSync(join(root, graph), JSON.stringify(roots))
  const stripped = 'build/wasm/stripped.wasm'
  await mustRun('wasm-metadce', ['--all-features', `--graph-file=${graph}`, LINKED_WASM, '-o', stripped], {
    quiet: true,
  })
  await mustRun('wasm-opt', ['--all-features', '-Oz', stripped, '-o', stripped], { quiet: true })
  writeIfChanged(WASM, readFileSync(join(root, stripped)))
}

/** Leaves a file alone, with its time, if it has this content already. Otherwise dist/ would be built again. */
function writeIfChanged(path, content) {
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

async function buildWasm() {
  await setUp(['wasm'])
  await cmakeBuild('wasm')
  checkLinkedWasm(readFileSync(join(root, LINKED_WASM)))
  await stripWasm()
  const bytes = readFileSync(join(root, WASM))
  checkWasm(bytes)
  const { text, alphabet } = pack(bytes)
  const source =
    '// Generated by .tooling/build.mjs: the WebAssembly module as text, for unpack.\n' +
    `export const alphabet =\n  ${JSON.stringify(alphabet)}\n` +
    `export const wasmText =\n  ${JSON.stringify(text)}\n`
  writeIfChanged(WASM_BYTES, source)
  say(`wasm: ${WASM} (${bytes.length} bytes)`)
}

/** Follows the imports of the entries for pages. None may be a module of Node. */
function checkBrowserEntry() {
  const seen = new Set()
  const visit = (name) => {
    if (seen.has(name)) return
    seen.add(name)
    const source = readFileSync(join(root, 'dist', name), 'utf8')
    for (const [, specifier] of source.matchAll(/(?:from|import|require\()\s*["']([^"']+)["']/g)) {
      if (specifier === './timeout_wheel.wasm') continue
      if (!specifier.startsWith('./')) fail(`dist/${name} is loaded by pages, but imports ${specifier}`)
      visit(join(dirname(name), specifier))
    }
  }
  for (const name of PAGE_ENTRIES) {
    visit(`${name}.mjs`)
    visit(`${name}.cjs`)
  }
  for (const name of WORKERD_ENTRIES) visit(`workerd/${name}.mjs`)
}

/** The names that the ES module of an entry exports at run time. */
function namesOf(entry) {
  const module = readFileSync(join(root, `dist/${entry}.mjs`), 'utf8')
  const names =
    module.match(/^export \{\s*([\w\s,]+?)\s*\}/m)?.[1].split(/,\s*/) ??
    [...module.matchAll(/^export const (\w+) =/gm)].map(([, name]) => name)
  if (names.length === 0) fail(`dist/${entry}.mjs: its exports were not found`)
  return names
}

/** The entries for one purpose have no default export. */
const hasDefault = (entry) => !['register', 'http'].includes(entry)

/** The name, in the code of an entry of Node, of the object that contains all exports. */
function wholeOf(entry, code) {
  const [name, pattern] =
    entry === 'promises' ? ['promises', /import \{ promises \}/] : ['entry', /^const entry = /m]
  if (!pattern.test(code)) fail(`dist/${entry}: no \`${name}\` was found`)
  return name
}

/** The types of the entries for workerd are those of all others. */
function shareTypes() {
  const [whole, copy] = ['dist/types.d.mts', 'dist/workerd/types.d.mts'].map((path) => join(root, path))
  if (!readFileSync(whole).equals(readFileSync(copy))) fail(`${copy} differs from ${whole}`)
  writeFileSync(copy, "export * from '../types.mjs'\n")
}

/**
 * Gives the ES modules a default export, like `node:timers`. On Node it is the object that CommonJS requires, in pages an object
 * of all exports. It is not written in lib/, because there it would become a property of the CommonJS object.
 */
function addDefaults() {
  const pages = [...PAGE_ENTRIES, ...WORKERD_ENTRIES.map((name) => `workerd/${name}`)]
  const nodes = NODE_ENTRIES.filter(hasDefault)
  for (const name of pages) {
    const names = namesOf(name)
    addDefault(name, () => (names.includes('scheduler') ? 'promises' : `{ ${names.join(', ')} }`))
    addDefaultType(name)
  }
  for (const name of nodes) {
    for (const file of [name, `whole/${name}`]) addDefault(file, (code) => wholeOf(name, code))
    addDefaultType(name)
    requireWhole(name)
  }
}

function addDefault(name, wholeIn) {
  const file = join(root, `dist/${name}.mjs`)
  const code = readFileSync(file, 'utf8').trimEnd()
  writeFileSync(file, `${code}\nexport default ${wholeIn(code)};\n`)
}

function addDefaultType(name) {
  const types = namesOf(name)
    .map((one) => `  ${one}: typeof ${one};\n`)
    .join('')
  appendFileSync(
    join(root, `dist/${name}.d.mts`),
    `\n/** All exports in one object. */\ndeclare const _default: {\n${types}};\nexport default _default;\n`,
  )
}

/** Makes CommonJS require the default export of the ES module. The single exports stay for programs that read the text. */
function requireWhole(name) {
  const file = join(root, `dist/${name}.cjs`)
  const code = readFileSync(file, 'utf8')
  const whole = name === 'promises' ? "require('./node.cjs').promises" : wholeOf(name, code)
  writeFileSync(file, `${code}\nmodule.exports = ${whole};\n`)
}

async function buildLib() {
  const inputs = filesUnder(
    WASM,
    'lib',
    ...CLI_SOURCES,
    'tsdown.config.ts',
    '.tooling/build.mjs',
    '.tooling/pages.mjs',
    '.tooling/shorten.mjs',
    'tsconfig.json',
    'package.json',
  )
  const list = join(root, BUILT_FILES)
  if (existsSync(list) && isUpToDate(JSON.parse(readFileSync(list, 'utf8')), inputs)) {
    say('lib: dist/ is up to date')
    return
  }
  if (!existsSync(join(root, WASM_BYTES))) fail(`${WASM_BYTES} is missing: build with --only=wasm first`)
  rmSync(list, { force: true })
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  await mustRun(localBin('tsdown'), [], { quiet: true })
  await buildPages()
  for (const path of SHARED) await shorten(path)
  copyFileSync(join(root, WASM), join(root, SHIPPED_WASM))
  addDefaults()
  shareTypes()
  checkBrowserEntry()
  const built = filesUnder('dist').map((file) => relative(root, file))
  writeFileSync(list, JSON.stringify(built))
  say(`lib: dist/ (${readdirSync(join(root, 'dist')).length} files)`)
}

const parts = { addon: buildAddon, wasm: buildWasm, lib: buildLib }
const [option, ...rest] = process.argv.slice(2)
const only = option?.match(/^--only=(.*)$/)?.[1]
if (rest.length > 0 || (option !== undefined && !Object.hasOwn(parts, only ?? ''))) {
  fail(`usage: node .tooling/build.mjs [--only=${Object.keys(parts).join('|')}]`)
}
for (const [name, build] of Object.entries(parts)) {
  if (only === undefined || only === name) await build()
}
