/** A copy of the package whose addon runs under AddressSanitizer and UndefinedBehaviorSanitizer. */
import { cpSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { run as runChild } from './child.cjs'
import { cmakeBuild } from './cmake.mjs'
import { buildPackage } from './jest.mjs'
import { prepare } from './prepare.mjs'
import { fail, outputOf, platform, root } from './step.mjs'

const ADDON = `prebuilds/${platform}/timeout_wheel.node`
const COPIED =
  'package.json .tooling dist test/contract test/node test/scale.ts test/temporary-folder.ts ' +
  'test/differential/clock.ts build/virtual-clock/virtual_clock.so'

/** A run-time library of the compiler. Node is not linked with it, so Node must load it before any other library. */
const libraryOf = async (name) => realpathSync((await outputOf('g++', [`-print-file-name=${name}`])).trim())

/** Makes the copy. @param {Record<string, string>} more variables @returns {Promise<import('./jest.mjs').How>} how Jest runs its tests */
export async function preparePackage(more) {
  await buildPackage()
  await prepare()
  await cmakeBuild('addon-asan')
  const folder = join(root, 'build/asan-package')
  rmSync(folder, { recursive: true, force: true })
  for (const path of COPIED.split(' ')) cpSync(join(root, path), join(folder, path), { recursive: true })
  cpSync(join(root, 'build/addon-asan', ADDON), join(folder, ADDON))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const env = {
    LD_PRELOAD: `${await libraryOf('libasan.so')} ${await libraryOf('libubsan.so')}`,
    // When Node ends, it leaves most of its memory unfreed. Leak detection would report all of that.
    ASAN_OPTIONS: 'detect_leaks=0',
    UBSAN_OPTIONS: 'print_stacktrace=1',
  }
  // A sanitizer that does not stop an addon with too small a buffer does not work.
  const script = `new (require('./${ADDON}').Wheel)(new Int32Array(new ArrayBuffer(16)), 1, 1, undefined).apply()`
  const how = { cwd: folder, env: { ...process.env, ...env }, limit: 60_000 }
  const { code, stderr } = await runChild(process.execPath, ['--eval', script], how)
  if (code === 0 || !stderr.includes('AddressSanitizer: heap-buffer-overflow'))
    fail(`AddressSanitizer does not watch the addon in Node (exit code ${code}):\n${stderr}`)
  return { env: { ...env, ...more }, options: [`--rootDir=${folder}`] }
}
