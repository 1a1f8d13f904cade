/** The declarations of dist/ compile under strict checks, whatever other types a program has. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { run } from '../../.tooling/child.cjs'

const ROOT = join(__dirname, '../..')

/** Returns the errors that `tsc` prints for a project. */
async function compile(project: string): Promise<string> {
  const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(__dirname, 'plain', project)]
  return (await run(process.execPath, args, { cwd: ROOT, limit: 55_000 })).stdout
}

it.each([
  ['without the types of Node, of pages and of explicit resource management', 'tsconfig.plain.json'],
  ['with the types of pages alone', 'tsconfig.dom.json'],
  ['with the newest types of the language', 'tsconfig.newest.json'],
  ['with the types of Node', 'tsconfig.node.json'],
])(
  'compile %s',
  async (_name, project) => {
    expect(await compile(project)).toBe('')
  },
  60_000,
)
