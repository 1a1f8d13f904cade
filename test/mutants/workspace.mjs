/** A copy of the tree for mutants, and the tests that run there. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LimitError, run } from '../../.tooling/child.cjs'
import { copyInto } from '../../.tooling/copy.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { mustRun, platform, root } from '../../.tooling/step.mjs'

const FOLDER = 'build/mutants'
export const tree = join(root, FOLDER)
const binary = join(tree, 'build/core-tests/core_tests')

/** The memory limit of a test program, in KiB: a fault may make it allocate endlessly. */
const MEMORY_LIMIT = 4 * 2 ** 20

const COPIED = [
  ...[
    'native',
    'lib',
    'wasm',
    'test',
    'bench',
    '.tooling',
    `prebuilds/${platform}`,
    'build/wasm/timeout_wheel.wasm',
    // Without it, the tests that need it fail for every mutant.
    ...(process.platform === 'linux' ? ['build/virtual-clock/virtual_clock.so'] : []),
  ],
  ...[
    'CMakeLists.txt',
    'CMakePresets.json',
    'package.json',
    'tsconfig.json',
    'tsdown.config.ts',
    'jest.config.mjs',
  ],
]

/** Updates the copy, and removes a mutant that an interrupted run left in it. */
export async function copyTree() {
  await mustRun(process.execPath, ['.tooling/build.mjs'], { quiet: true })
  await mustRun(process.execPath, ['.tooling/virtual-clock.mjs'], { quiet: true })
  copyInto(FOLDER, COPIED)
}

/** @returns {Promise<{ code: number | null, timedOut: boolean, output: string }>} */
async function runIn(program, args, seconds) {
  try {
    const { code, stdout, stderr } = await run(program, args, { cwd: tree, limit: seconds * 1000 })
    return { code, timedOut: false, output: stdout + stderr }
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    return { code: null, timedOut: true, output: error.stdout + error.stderr }
  }
}

/**
 * A part of the package with mutants. First `testSources` runs the tests that need no build. If they pass, `build` returns its
 * errors or '', and `test` runs the other tests. Both tests return the failed test or undefined.
 *
 * @typedef {(tests: string[] | undefined, seconds: number) => Promise<string | undefined>} Test
 * @typedef {{ testSources: Test, build(): Promise<string>, test: Test }} Part
 */

async function build(program, args) {
  const { code, output } = await runIn(program, args, 600)
  return code === 0 ? '' : output
}

/** @type {Part} */
export const core = {
  testSources: async () => undefined,
  async build() {
    await setUp(['tests'])
    // No warnings: a variable that a mutant no longer uses is not an error.
    const configured = existsSync(join(tree, 'build/core-tests/build.ninja'))
    const problem = configured ? '' : await build('cmake', ['--preset', 'core-tests', '-DCMAKE_CXX_FLAGS=-w'])
    return problem || build('cmake', ['--build', '--preset', 'core-tests', '--target', 'core_tests', '-j2'])
  },
  async test(_tests, seconds) {
    const limited = `ulimit -v ${MEMORY_LIMIT}; exec '${binary}' --gtest_fail_fast`
    const { code, timedOut, output } = await runIn('sh', ['-c', limited], seconds)
    if (code === 0) return undefined
    const failed = output.match(/^\[ {2}FAILED {2}\] ([^\s,]+)/m)?.[1]
    const last = output.match(/.*^\[ RUN {6}\] (\S+)/ms)?.[1]
    if (timedOut) return `${failed ?? last} (endless)`
    return failed ?? `${last} (crash)`
  },
}

/** The white-box tests of lib, which run from the sources. */
const WHITE_BOX = 'test/lib/'

/** The tests of the built package: the contract, and last the test that takes as long as all others. */
const CONTRACT = [['test/contract/', '--testPathIgnorePatterns=million'], ['test/contract/million']]

/**
 * The page's tests that run from the sources: the drivers' first, since they take least. Those of test/page/built load
 * dist/.
 */
const PAGE = [['test/page/drivers/'], ['test/page/', '--testPathIgnorePatterns=test/page/(drivers|built)/']]

/** Runs Jest up to the first failure. */
async function runJest(options, seconds) {
  const { code, timedOut, output } = await runIn(
    join(root, 'node_modules/.bin/jest'),
    ['--bail', ...options],
    seconds,
  )
  if (code === 0) return undefined
  const title = output.match(/^ {2}\u25cf (.+)$/m)?.[1]
  const file = output.match(/^FAIL (\S+)/m)?.[1]
  if (file === undefined) return `${options[0]} (${timedOut ? 'endless' : 'crash'})`
  return `${file}: ${title}`
}

/** @param {string[][]} runs the options of one run of Jest after the other */
async function testInTurn(runs, seconds) {
  for (const options of runs) {
    const failed = await runJest(options, seconds)
    if (failed !== undefined) return failed
  }
  return undefined
}

/** Whether the tests of a mutant run from the sources. */
const areWhiteBox = (tests) => tests.every((test) => test.startsWith(WHITE_BOX))

/** @type {Part} */
export const lib = {
  testSources: async (tests = [WHITE_BOX], seconds) =>
    areWhiteBox(tests) ? runJest(tests, seconds) : undefined,
  build: () => build(process.execPath, ['.tooling/build.mjs', '--only=lib']),
  async test(tests, seconds) {
    if (tests === undefined) return testInTurn(CONTRACT, seconds)
    return areWhiteBox(tests) ? undefined : runJest(tests, seconds)
  },
}

/** The code of pages, on a simulated page and in virtual time. All of its tests run from the sources. @type {Part} */
export const page = {
  testSources: (tests, seconds) => testInTurn(tests === undefined ? PAGE : [tests], seconds),
  build: async () => '',
  test: async () => undefined,
}
