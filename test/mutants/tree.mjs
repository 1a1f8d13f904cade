/** The copy of the project into which faults are put. */
import { cpSync, existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { filesUnder, platform, root } from '../../.tooling/step.mjs'

const FOLDER = 'build/mutants'
export const tree = join(root, FOLDER)

const COPIED = [
  ...['native', 'lib', 'wasm', 'test', 'bench', '.tooling', 'CMakeLists.txt', 'CMakePresets.json'],
  ...['package.json', 'tsconfig.json', 'tsdown.config.ts', 'jest.config.mjs'],
  ...[`prebuilds/${platform}`, 'build/wasm/timeout_wheel.wasm'],
]

/** Whether a file differs from its copy. */
const hasChanged = (file, copy) => !existsSync(copy) || !readFileSync(file).equals(readFileSync(copy))

/** Updates the copy, and removes a fault that an interrupted run left in it. Unchanged files keep their times: little is built again. */
export function copyTree() {
  for (const file of filesUnder(...COPIED.map((path) => join(FOLDER, path))))
    if (!existsSync(file.replace(tree, root))) rmSync(file)
  const filter = (from, to) => statSync(from).isDirectory() || hasChanged(from, to)
  // The faults of the core need no build of the package.
  for (const path of COPIED.filter((one) => existsSync(join(root, one))))
    cpSync(join(root, path), join(tree, path), { recursive: true, filter })
  const packages = join(tree, 'node_modules')
  if (!existsSync(packages)) symlinkSync(join(root, 'node_modules'), packages)
}
