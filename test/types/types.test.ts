/** The declarations of dist/ compile under strict checks, whatever other types a program has. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'

const ROOT = join(__dirname, '../..')

/** Returns the errors that `tsc` prints for a project. */
function compile(project: string): string {
  const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(__dirname, 'plain', project)]
  try {
    return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

it.each([
  ['without the types of Node, of pages and of explicit resource management', 'tsconfig.plain.json'],
  ['with the types of pages alone', 'tsconfig.dom.json'],
  ['with the newest types of the language', 'tsconfig.newest.json'],
  ['with the types of Node', 'tsconfig.node.json'],
])(
  'compile %s',
  (_name, project) => {
    expect(compile(project)).toBe('')
  },
  60_000,
)
