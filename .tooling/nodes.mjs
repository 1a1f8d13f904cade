/** The lines of Node that the package is tested on, as npm's packages have them. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fail, mustRun, platform, root, say } from './step.mjs'

/** From the `engines` of package.json to the newest. */
export const NODE_LINES = [20, 22, 24, 26]

/** The program of a line of Node, installed into build/nodes when it is first asked for. */
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
