/**
 * Checks that compilers and build tools, which npm does not install, are present. Installs missing ones on Debian and Ubuntu as
 * root; elsewhere it prints what to install. It takes no time if nothing is missing.
 *
 *   node .tooling/setup.mjs [addon] [wasm] [tests] [sanitizers] [coverage] [instructions] [bench] [valgrind] [fuzz] [lint]
 *                           [addon-PLATFORM] [run-PLATFORM] [chromium] [firefox] [webkit]
 *
 * Without arguments: addon wasm
 */
import { existsSync, readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { findChromium, findFirefox, findMiniBrowser } from './browsers/programs.mjs'
import { fail, isOnPath, outputOf, run, say } from './step.mjs'

/** Milliseconds for one call of apt-get, which downloads up to a browser. */
const APT_LIMIT = 15 * 60_000

/** Whether the clang++ on the PATH links a fuzzer. The library is a separate package. */
async function hasLibFuzzer() {
  if (!isOnPath('clang++')) return false
  const folder = (await outputOf('clang++', ['--print-runtime-dir'])).trim()
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('libclang_rt.fuzzer'))
}

/** The requirements of each purpose: a check, the Debian package, and the name for other systems. */
const requirements = [
  {
    for: ['addon', 'wasm', 'tests', 'instructions', 'bench', 'fuzz'],
    name: 'CMake 3.21',
    debian: 'cmake',
    isThere: () => isOnPath('cmake'),
  },
  {
    for: ['addon', 'wasm', 'tests', 'instructions', 'bench', 'fuzz'],
    name: 'Ninja',
    debian: 'ninja-build',
    isThere: () => isOnPath('ninja'),
  },
  {
    for: ['addon', 'tests', 'instructions', 'bench'],
    name: 'a C++20 compiler (g++ 11, clang 14 or later)',
    debian: 'g++',
    isThere: () => ['c++', 'g++', 'clang++'].some(isOnPath),
  },
  {
    for: ['wasm', 'tests'],
    name: 'Emscripten 3.1.6 or later (em++ on the PATH)',
    debian: 'emscripten',
    isThere: () => isOnPath('em++'),
  },
  {
    for: ['tests', 'fuzz'],
    name: 'GoogleTest',
    debian: 'libgtest-dev',
    isThere: () => process.platform !== 'linux' || existsSync('/usr/include/gtest/gtest.h'),
  },
  {
    for: ['tests'],
    name: "GoogleTest's sources (in /usr/src/googletest)",
    debian: 'googletest',
    isThere: () => process.platform !== 'linux' || existsSync('/usr/src/googletest/CMakeLists.txt'),
  },
  { for: ['sanitizers'], name: 'g++ with its sanitizers', debian: 'g++', isThere: () => isOnPath('g++') },
  { for: ['coverage'], name: 'clang++ 14 or later', debian: 'clang', isThere: () => isOnPath('clang++') },
  {
    for: ['coverage'],
    name: "LLVM's tools (llvm-cov, llvm-profdata)",
    debian: 'llvm',
    isThere: () => isOnPath('llvm-cov') && isOnPath('llvm-profdata'),
  },
  {
    for: ['instructions'],
    name: 'valgrind with its headers',
    debian: 'valgrind',
    isThere: () => isOnPath('valgrind') && existsSync('/usr/include/valgrind/callgrind.h'),
  },
  {
    for: ['bench'],
    name: 'Google Benchmark',
    debian: 'libbenchmark-dev',
    isThere: () => process.platform !== 'linux' || existsSync('/usr/include/benchmark/benchmark.h'),
  },
  { for: ['valgrind'], name: 'Valgrind', debian: 'valgrind', isThere: () => isOnPath('valgrind') },
  { for: ['fuzz'], name: 'clang 14 or later', debian: 'clang', isThere: () => isOnPath('clang++') },
  {
    for: ['fuzz'],
    name: "clang's libFuzzer and sanitizers",
    debian: 'libclang-rt-14-dev',
    isThere: hasLibFuzzer,
  },
  { for: ['lint'], name: 'clang-format 14', debian: 'clang-format', isThere: () => isOnPath('clang-format') },
  { for: ['lint'], name: 'clang-tidy 14', debian: 'clang-tidy', isThere: () => isOnPath('clang-tidy') },
  {
    for: ['addon-linux-arm64'],
    name: 'a C++20 compiler for Linux on arm64 (aarch64-linux-gnu-g++)',
    debian: 'g++-aarch64-linux-gnu',
    isThere: () => isOnPath('aarch64-linux-gnu-g++'),
  },
  {
    for: ['addon-win32-x64'],
    name: 'a C++20 compiler for Windows on x64 (x86_64-w64-mingw32-g++-posix)',
    debian: 'g++-mingw-w64-x86-64-posix',
    isThere: () => isOnPath('x86_64-w64-mingw32-g++-posix'),
  },
  {
    for: ['run-linux-arm64'],
    name: 'QEMU for programs of Linux on arm64',
    debian: 'qemu-user-static',
    isThere: () => isOnPath('qemu-aarch64-static'),
  },
  {
    for: ['run-linux-arm64'],
    name: 'the C++ library for Linux on arm64',
    debian: 'libstdc++6-arm64-cross',
    isThere: () => existsSync('/usr/aarch64-linux-gnu/lib/libstdc++.so.6'),
  },
  { for: ['run-win32-x64'], name: 'Wine 8 or later', debian: 'wine', isThere: () => isOnPath('wine') },
  {
    for: ['chromium'],
    name: 'Chromium (or TIMEOUT_WHEEL_CHROMIUM: the path of one, or of Chrome)',
    debian: 'chromium',
    isThere: () => findChromium() !== undefined,
  },
  {
    for: ['firefox'],
    name: 'Firefox (or TIMEOUT_WHEEL_FIREFOX: the path of one)',
    debian: 'firefox-esr',
    isThere: () => findFirefox() !== undefined,
  },
  {
    for: ['webkit'],
    name: "WebKitGTK's MiniBrowser and its WebDriver",
    debian: 'webkit2gtk-driver',
    isThere: () => isOnPath('WebKitWebDriver') && findMiniBrowser() !== undefined,
  },
  { for: ['webkit'], name: 'Xvfb', debian: 'xvfb', isThere: () => isOnPath('Xvfb') },
]

async function aptGet(args) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  return (await run('apt-get', args, { env, quiet: true, limit: APT_LIMIT })) === 0
}

/** The requirements of these purposes that are not there. */
async function missingFor(purposes) {
  const missing = []
  for (const one of requirements) {
    if (one.for.some((purpose) => purposes.includes(purpose)) && !(await one.isThere())) missing.push(one)
  }
  return missing
}

/** @param {string[]} purposes  Each is in the list `for` of a requirement. */
export async function setUp(purposes) {
  const missing = await missingFor(purposes)
  if (missing.length === 0) return

  const packages = missing.map((one) => one.debian)
  const remedy =
    `Missing for ${purposes.join(', ')}:\n${missing.map((one) => `  - ${one.name}`).join('\n')}\n` +
    `On Debian and Ubuntu: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}\n` +
    'Elsewhere: install these with the package manager of the system (Emscripten: https://emscripten.org).'
  if (!isOnPath('apt-get') || process.getuid?.() !== 0) fail(remedy)

  say('setup: apt-get update')
  if (!(await aptGet(['update', '-qq']))) say('setup: apt-get update failed, trying with the present lists')
  for (const { name, debian } of missing) say(`setup: installing ${debian} (${name})`)
  const isInstalled = await aptGet(['install', '-y', '-qq', '--no-install-recommends', ...packages])
  if (!isInstalled || (await missingFor(purposes)).length > 0)
    fail(`apt-get could not install all of them.\n${remedy}`)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const purposes = process.argv.slice(2)
  await setUp(purposes.length > 0 ? purposes : ['addon', 'wasm'])
  say('setup: nothing is missing')
}
