/** Checks the C++ with clang-format and clang-tidy. With `--fix`, formats it in place and does not check. */
import { configure } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { filesUnder, mustRun, say } from './step.mjs'

const sources = filesUnder('native', 'wasm', 'test', 'bench').filter((path) => /\.(h|cc)$/.test(path))
const unitsIn = (folder) => filesUnder(folder).filter((path) => path.endsWith('.cc'))
const WASM_FLAGS =
  '-std=c++20 -fno-exceptions -fno-rtti -DTIMEOUT_WHEEL_MEMORY_ADDRESS=0 -DTIMEOUT_WHEEL_DATA_ADDRESS=158720'

await setUp(['lint'])
if (process.argv[2] === '--fix') {
  await mustRun('clang-format', ['-i', ...sources])
  process.exit()
}
say(`clang-format: ${sources.length} files`)
await mustRun('clang-format', ['--dry-run', '-Werror', ...sources])
say('clang-tidy')
await configure('addon')
// The flags of the addon serve for native/, because its code is the same in both builds. One of them is known only to GCC.
const foreign = '--extra-arg=-Wno-ignored-optimization-argument'
await mustRun('clang-tidy', ['--quiet', '-p', 'build/addon', foreign, ...unitsIn('native')], { quiet: true })
await mustRun('clang-tidy', ['--quiet', ...unitsIn('wasm'), '--', ...WASM_FLAGS.split(' ')], { quiet: true })
