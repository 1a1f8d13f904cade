/** The declarations of dist/ compile under strict checks, whatever other types a program has. */
import { join } from 'node:path'
import { beforeAll, expect, it } from '@jest/globals'
import { compile } from './compile.js'

// Without skipLibCheck, so that the declarations of the package are checked.
const STRICT = '--ignoreConfig --strict --exactOptionalPropertyTypes --target es2022 --module nodenext'
const PROGRAMS: [what: string, words: string][] = [
  ['without the types of Node, of pages and of explicit resource management', '--lib es2022 signal.ts'],
  ['with the types of pages alone', '--lib es2022,dom'],
  ['with the newest types of the language', '--lib esnext,dom'],
  ['with the types of Node', '--lib es2022 --types node'],
]

let outcomes: { problems: string; checked: number }[]
beforeAll(async () => {
  const programs = PROGRAMS.map(([, words]) => `${STRICT} ${words} program.ts required.cts`.split(' '))
  outcomes = await compile(join(__dirname, 'plain'), programs)
})

it.each(PROGRAMS.map(([what], i) => [what, i] as const))('compile %s', (_, i) => {
  expect(outcomes[i]).toEqual({ problems: '', checked: expect.any(Number) })
  expect(outcomes[i]!.checked).toBeGreaterThan(5)
})
