/** The lines of Node that the tests run on, from the npm packages that carry Node's programs. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fail, platform as here, mustRun, root, say } from './step.mjs'

/** From the oldest line that `engines` in package.json allows to the newest line. */
export const NODE_LINES = [20, 22, 24, 26]

/**
 * Returns the program of a line of Node, for this platform or another. The first call installs it into build/nodes.
 *
 * @returns {Promise<string>}
 */
export async function nodeOfLine(line, platform = here) {
  const folder = join(root, 'build/nodes', platform === here ? String(line) : `${line}-${platform}`)
  // The packages call Windows `win`.
  const name = `node-${platform.replace('win32', 'win')}`
  const program = join(
    folder,
    'node_modules',
    name,
    platform.startsWith('win32') ? 'bin/node.exe' : 'bin/node',
  )
  if (!existsSync(program)) {
    say(`nodes: installing ${name}@${line}`)
    mkdirSync(folder, { recursive: true })
    // npm installs a package for another platform only by force.
    const options = [
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--force',
    ]
    await mustRun('npm', ['install', ...options, `${name}@${line}`], { quiet: true })
  }
  if (!existsSync(program)) fail(`${name}@${line} has no program at ${program}`)
  return program
}
