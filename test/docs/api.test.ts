/** docs/api.md is made from the types and their comments. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { readDocument, root } from './samples.js'

it('is what `npm run docs` writes', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, '.tooling/api.mjs'), '--check'], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('names nothing of the machine that made it', () => {
  expect(readDocument('docs/api.md')).not.toMatch(/\/(tmp|home|root|work|node_modules)\b/)
})
