/** The declarations of dist/ compile under strict checks, whatever other types a program has. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { run } from '../../.tooling/child.cjs'

const TSC = join(__dirname, '../../node_modules/typescript/bin/tsc')
// Without skipLibCheck, so that the declarations of the package are checked. Those of the language need no check.
const STRICT = '--strict --exactOptionalPropertyTypes --skipDefaultLibCheck'
const OPTIONS = `--ignoreConfig --noEmit --declaration ${STRICT} --target es2022 --module nodenext`

it.each([
  ['without the types of Node, of pages and of explicit resource management', 'es2022', [], ['signal.ts']],
  ['with the types of pages alone', 'es2022,dom', [], []],
  ['with the newest types of the language', 'esnext,dom', [], []],
  ['with the types of Node', 'es2022', ['--types', 'node'], []],
])(
  'compile %s',
  async (_name, lib, types, more) => {
    const files = ['program.ts', 'required.cts', ...more]
    const args = [TSC, ...OPTIONS.split(' '), '--lib', lib, ...types, ...files]
    const { code, stdout } = await run(process.execPath, args, {
      cwd: join(__dirname, 'plain'),
      limit: 55_000,
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  },
  60_000,
)
