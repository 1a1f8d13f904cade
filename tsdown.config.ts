import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { defineConfig, type UserConfig } from 'tsdown'

const common: UserConfig = {
  target: ['node20', 'es2022'],
  dts: true,
  hash: false,
  // .tooling/build.mjs does it, before either.
  clean: false,
  minify: false,
  // The hot paths read many constants: as numbers they are shorter, and an engine inlines more of what is short.
  inputOptions: { optimization: { inlineConst: true } },
  // As the sources are, which are modules: the functions of CommonJS, too, look like Node's own, which are strict.
  // The declarations that entries share get a chunk by name: else rolldown may merge them into an entry, whose exports it
  // then renames.
  outputOptions: {
    strict: true,
    codeSplitting: {
      groups: [{ name: 'types.d', test: /[\\/]lib[\\/](?:api[\\/](?!idle-timeout)[\w-]+|types)\.d\.ts$/ }],
    },
  },
  logLevel: 'warn',
}

const entries = (...names: string[]): string[] => names.map((name) => `lib/entry/${name}.ts`)

/** The entries for Node. They are built in one go, so that they share one copy of the code. */
const forNode: UserConfig = {
  ...common,
  entry: entries('node', 'native', 'wasm', 'promises', 'register', 'http', 'testing'),
  platform: 'node',
}

/** Lets the package load a part of the code when a program first uses it: see lib/node/on-demand. */
const onDemand = (load: 'load-file' | 'load-required') => ({
  name: 'on-demand',
  resolveId(name: string) {
    if (name === './features.cjs') return { id: name, external: true }
    if (!/(^\.|on-demand)\/load\.js$/.test(name)) return undefined
    return fileURLToPath(new URL(`lib/node/on-demand/${load}.ts`, import.meta.url))
  },
})

/** Entries that import `node` and share its code. */
const besideNode: UserConfig = {
  ...forNode,
  format: ['esm'],
  dts: false,
  plugins: [
    {
      name: 'import-node',
      resolveId: (name: string) => (name === './node.js' ? { id: './node.mjs', external: true } : undefined),
    },
  ],
}

/** The platforms whose addons are there. */
const generated = readFileSync(new URL('lib/generated/platforms.ts', import.meta.url), 'utf8')
const PLATFORMS: string[] = JSON.parse(/= (\[.*\])/.exec(generated)![1]!)

/**
 * Names the file of each addon in lib/node/host/addon-file.ts, in words that tools follow which collect the files of a program. In ES
 * modules these are URLs; @vercel/nft sees none in an arrow function. webpack copies the file, and a missing file is an error. So only
 * addons that are there are named.
 */
const addonFiles = (returnFile: (path: string) => string, imports = '') => ({
  name: 'addon-files',
  load(id: string) {
    if (!id.endsWith('/lib/node/host/addon-file.ts')) return undefined
    const cases = PLATFORMS.map(
      (one) => `case '${one}': ${returnFile(`prebuilds/${one}/timeout_wheel.node`)}\n`,
    )
    return `${imports}export function addonFile(platform) {\nswitch (platform) {\n${cases.join('')}}\n}`
  },
})
const returnUrl = (path: string) => `return new URL('${path}', import.meta.url)`
const byUrl = addonFiles((path) => returnUrl(`../${path}`))
const byFolder = addonFiles((path) => `return __dirname + '/../${path}'`)
/**
 * Turbopack, the bundler of Next.js, puts the address of a page in the place of such a URL. It takes a file along if the code asks
 * whether the file exists, by a path that starts with `__dirname`. Then the addon is where the package would have it.
 */
const forBundlers = addonFiles(
  (path) =>
    `if (typeof __dirname === 'string') existsSync(__dirname + '/../../${path}')\n${returnUrl(`../../${path}`)}`,
  "import { existsSync } from 'node:fs'\n",
)

/** Puts the program of the worker thread of SQLite into the file that starts it: see lib/durable/sqlite/worker-source.ts. */
const workerSource = {
  name: 'worker-source',
  async load(id: string) {
    if (!id.endsWith('/lib/durable/sqlite/worker-source.ts')) return undefined
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('lib/durable/sqlite/worker.ts', import.meta.url))],
      ...{ bundle: true, write: false, minify: true, platform: 'node', format: 'cjs', target: 'node22' },
    })
    return `export const workerSource = ${JSON.stringify(outputFiles[0]!.text)}`
  },
}

export default defineConfig([
  // As ES modules, `node` has all of the code in its own file, because a second file would take longer to import. The others are small
  // and import it; .tooling/build.mjs writes `native` and `wasm`, which must not.
  {
    ...forNode,
    entry: entries('node'),
    format: ['esm'],
    dts: false,
    plugins: [onDemand('load-file'), byUrl],
    // Without an import or export before the first `import.meta`, @vercel/nft warns that the file is no script.
    banner: 'export {}',
  },
  { ...besideNode, entry: entries('promises', 'http') },
  // Apart, so that no file is shared: each is known by its name (lib/node/host/singletons.ts).
  { ...besideNode, entry: entries('register') },
  { ...besideNode, entry: entries('testing') },
  {
    ...forNode,
    entry: entries('durable'),
    format: ['esm', 'cjs'],
    external: ['croner', 'timeout-wheel'],
    plugins: [workerSource],
    // Jest gives CommonJS no `import()`.
    outputOptions: { ...common.outputOptions, dynamicImportInCjs: false },
  },
  { ...forNode, format: ['cjs'], dts: false, plugins: [onDemand('load-required'), byFolder] },
  {
    ...common,
    entry: { features: 'lib/node/on-demand/features.ts' },
    format: ['cjs'],
    platform: 'node',
    dts: false,
  },
  // For bundlers, which cannot know of a file that is loaded later.
  { ...forNode, format: ['esm'], outDir: 'dist/whole', dts: false, plugins: [forBundlers] },
  // For the types, in one go, so that all entries share a chunk. .tooling/build.mjs takes them, without the code, and writes those of ES
  // modules.
  {
    ...forNode,
    entry: [...(forNode.entry as string[]), ...entries('browser', 'promises-browser')],
    format: ['cjs'],
    outDir: 'dist/types',
  },
  {
    ...common,
    // `npx timeout-wheel`: of the benchmark, which is not published, what measures a reader's machine.
    entry: {
      ...{
        cli: 'bench/self/cli.mjs',
        doctor: 'lib/doctor/doctor.ts',
        top: 'lib/top/top.ts',
        'top-agent': 'lib/top/agent.ts',
      },
      'durable-command': 'lib/durable/command.ts',
    },
    format: ['esm'],
    platform: 'node',
    dts: false,
    external: ['timeout-wheel', 'timeout-wheel/register'],
  },
])
