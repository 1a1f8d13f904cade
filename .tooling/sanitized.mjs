/** Makes a copy of the package whose addon runs under AddressSanitizer and UndefinedBehaviorSanitizer. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { copyInto } from './copy.mjs'
import { fail, platform, root } from './step.mjs'

const PRESET = 'addon-asan'
const FOLDER = 'build/asan-package'
const ADDON = `prebuilds/${platform}/timeout_wheel.node`

/**
 * Finds a run-time library of the compiler. Node is not linked with it, so Node must load it before any other library.
 */
function runtime(name) {
  const { stdout } = spawnSync('g++', [`-print-file-name=${name}`], { encoding: 'utf8' })
  return realpathSync(stdout.trim())
}

/**
 * Gives the addon a buffer that is too small. If the sanitizer does not stop it, the sanitizer does not work and would
 * find no fault.
 */
function checkThatItWatches(env) {
  const script = `new (require('./${ADDON}').Wheel)(new Int32Array(new ArrayBuffer(16)), 1, 1, undefined).openEpoch()`
  const cwd = join(root, FOLDER)
  const { status, stderr } = spawnSync(process.execPath, ['--eval', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status === 0 || !stderr.includes('AddressSanitizer: heap-buffer-overflow'))
    fail(`AddressSanitizer does not watch the addon in Node (exit code ${status}):\n${stderr}`)
}

/** @returns {{ folder: string, env: Record<string, string> }} the package's folder, and the environment to run Node with */
export function preparePackage() {
  cmakeBuild(PRESET)
  copyInto(FOLDER, [
    'package.json',
    'dist',
    'test/contract',
    'test/node',
    'test/interrupt',
    'test/differential/clock.ts',
    'build/virtual-clock/virtual_clock.so',
  ])
  mkdirSync(join(root, FOLDER, 'prebuilds', platform), { recursive: true })
  copyFileSync(join(root, 'build', PRESET, ADDON), join(root, FOLDER, ADDON))
  const env = {
    LD_PRELOAD: `${runtime('libasan.so')} ${runtime('libubsan.so')}`,
    // When Node ends, it leaves most of its memory unfreed. Leak detection would report all of that.
    ASAN_OPTIONS: 'detect_leaks=0',
    UBSAN_OPTIONS: 'print_stacktrace=1',
  }
  checkThatItWatches(env)
  return { folder: join(root, FOLDER), env }
}
