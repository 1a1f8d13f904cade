/**
 * Checks that compilers and build tools, which npm does not install, are present. Installs missing ones on Debian and Ubuntu as
 * root; elsewhere it prints what to install. It takes no time if nothing is missing.
 *
 *   node .tooling/setup.mjs [PURPOSE ...]    the first words of the table; without arguments: addon wasm
 */
import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail, findOnPath, run, say } from './step.mjs'

/** How apt-get runs: in so many milliseconds it downloads a browser. Its run level is that in which no server is started. */
const APT = { env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }, quiet: true, limit: 15 * 60_000 }

export const findChromium = () =>
  process.env.TIMEOUT_WHEEL_CHROMIUM ?? findOnPath('chromium', 'chromium-browser', 'google-chrome')
export const findFirefox = () => process.env.TIMEOUT_WHEEL_FIREFOX ?? findOnPath('firefox-esr', 'firefox')
/** The folder of PostgreSQL's programs, of which Debian has only some on the PATH: the newest version. */
export function findPostgres() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const programs = versions.map((version) => `${debian}/${version}/bin/initdb`)
  const program = programs.find(existsSync) ?? findOnPath('initdb')
  return program && dirname(program)
}

// What must be there: programs, of which `|` separates alternatives, and files; or what a function finds.
// biome-ignore format: a table
/** @type {[purposes: string, debian: string, name: string, found: string | (() => string | undefined)][]} */
const requirements = [
  ['addon wasm tests bench fuzz clock', 'cmake ninja-build', 'CMake 3.21 and Ninja', 'cmake ninja'],
  ['addon tests bench clock', 'g++', 'a C++20 compiler (g++ 11, clang 14 or later)', 'c++|g++|clang++'],
  ['wasm', 'emscripten', 'Emscripten 3.1.6 or later (em++ on the PATH)', 'em++'],
  ['tests fuzz', 'libgtest-dev googletest', 'GoogleTest and its sources',
    '/usr/include/gtest/gtest.h /usr/src/googletest/CMakeLists.txt'],
  ['asan', 'g++', 'g++ with its sanitizers', 'g++'],
  ['fuzz', 'clang libclang-rt-14-dev', 'clang++ 14 with libFuzzer and sanitizers',
    'clang++ /usr/lib/clang/14/lib/linux'],
  ['coverage', 'gcovr', 'gcovr', 'gcovr'],
  ['valgrind instructions', 'valgrind', 'Valgrind', 'valgrind'],
  ['bench-core', 'libbenchmark-dev', 'Google Benchmark', '/usr/include/benchmark/benchmark.h'],
  ['lint', 'clang-format clang-tidy', 'clang-format 14 and clang-tidy 14', 'clang-format clang-tidy'],
  ['addon-linux-arm64', 'g++-aarch64-linux-gnu', 'aarch64-linux-gnu-g++', 'aarch64-linux-gnu-g++'],
  ['addon-win32-x64', 'g++-mingw-w64-x86-64-posix', 'x86_64-w64-mingw32-g++-posix', 'x86_64-w64-mingw32-g++-posix'],
  ['run-linux-arm64', 'qemu-user-static libstdc++6-arm64-cross', 'QEMU and the C++ library for Linux on arm64',
    'qemu-aarch64-static /usr/aarch64-linux-gnu/lib/libstdc++.so.6'],
  ['run-win32-x64', 'wine', 'Wine 8 or later', 'wine'],
  ['chromium', 'chromium', 'Chromium or Chrome (or its path in TIMEOUT_WHEEL_CHROMIUM)', findChromium],
  ['firefox', 'firefox-esr', 'Firefox (or its path in TIMEOUT_WHEEL_FIREFOX)', findFirefox],
  ['webkit', 'webkit2gtk-driver xvfb xauth', "WebKitGTK's WebDriver, Xvfb and xauth", 'WebKitWebDriver xvfb-run xauth'],
  ['postgres', 'postgresql', 'PostgreSQL', findPostgres],
  ['pgbouncer', 'pgbouncer', 'pgbouncer', 'pgbouncer'],
  ['redis', 'redis-server', 'Redis', 'redis-server'],
]

/** Other systems than Linux have the files elsewhere: there the build says what is missing. */
const isThere = (one) =>
  one.startsWith('/')
    ? process.platform !== 'linux' || existsSync(one)
    : findOnPath(...one.split('|')) !== undefined

/** The requirements of these purposes that are not there. The preset `core-tests-asan` has the purposes `tests` and `asan`. */
function missingFor(purposes) {
  const isWanted = (word) => purposes.some((purpose) => `-${purpose}-`.includes(`-${word}-`))
  return requirements.filter(([words, , , found]) => {
    const isFound = () => (typeof found === 'function' ? found() : found.split(' ').every(isThere))
    return words.split(' ').some(isWanted) && !isFound()
  })
}

/** Installs what is missing, where it may. Elsewhere the script ends; if it can do without, it goes on. @returns {Promise<boolean>} whether all is there */
export async function setUp(purposes, { canDoWithout = false } = {}) {
  const missing = missingFor(purposes)
  if (missing.length === 0) return true
  const packages = [...new Set(missing.flatMap(([, debian]) => debian.split(' ')))]
  const remedy =
    `Missing for ${purposes.join(', ')}:\n${missing.map(([, , name]) => `  - ${name}`).join('\n')}\n` +
    `On Debian and Ubuntu: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}\n` +
    'Elsewhere: install these with the package manager of the system (Emscripten: https://emscripten.org).'
  if (findOnPath('apt-get') === undefined || process.getuid?.() !== 0) {
    if (!canDoWithout) fail(remedy)
    say(remedy)
    return false
  }
  say('setup: apt-get update')
  if ((await run('apt-get', ['update', '-qq'], APT)) !== 0)
    say('setup: apt-get update failed, trying with the present lists')
  for (const [, debian, name] of missing) say(`setup: installing ${debian} (${name})`)
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], APT)
  if (missingFor(purposes).length > 0) fail(`apt-get could not install all of them.\n${remedy}`)
  return true
}

if (process.argv[1] === import.meta.filename) {
  const purposes = process.argv.slice(2)
  await setUp(purposes.length > 0 ? purposes : ['addon', 'wasm'])
  say('setup: nothing is missing')
}
