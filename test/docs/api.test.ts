/** docs/api.md is made from the types and their comments. */
import { join } from 'node:path'
import { run } from '../../.tooling/child.cjs'
import { readDocument, root } from './samples.js'

it('is what `npm run docs` writes', async () => {
  const args = [join(root, '.tooling/api.mjs'), '--check']
  const { code, stderr } = await run(process.execPath, args, { limit: 150_000 })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('names every export of the package, and nothing of the machine that made it', () => {
  const text = readDocument('docs/api.md')
  const isNamed = (name: string): boolean => text.includes(`\`${name}\``) || text.includes(`# ${name}\n`)
  expect(Object.keys(require('timeout-wheel')).filter((name) => !isNamed(name))).toEqual([])
  expect(text).not.toMatch(/\/(tmp|home|root|work|node_modules)\b/)
})
