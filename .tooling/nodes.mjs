/** The lines of Node that the tests run on, from the npm packages that carry Node's programs. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fail, mustRun, platform, root, say } from './step.mjs'

/** From the oldest line that `engines` in package.json allows to the newest line. */
export const NODE_LINES = [20, 22, 24, 26]

/** Returns the program of a line of Node. The first call installs it into build/nodes. */
export function nodeOfLine(line) {
  const folder = join(root, 'build/nodes', String(line))
  const name = `node-${platform}`
  const program = join(folder, 'node_modules', name, 'bin/node')
  if (!existsSync(program)) {
    say(`nodes: installing ${name}@${line}`)
    mkdirSync(folder, { recursive: true })
    const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    mustRun('npm', ['install', ...options, `${name}@${line}`], { quiet: true })
  }
  if (!existsSync(program)) fail(`${name}@${line} has no program at ${program}`)
  return program
}
