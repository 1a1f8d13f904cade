/** A page that imports `setTimeout` alone has all of its handles: a bundler drops the class of wheels, but nothing of the handles. */
import { join } from 'node:path'
import { build } from 'esbuild'
import type * as Entry from '../../../lib/entry/browser.js'

it('gives handles pending, deadline and remaining', async () => {
  const resolveDir = join(__dirname, '../../../dist')
  const stdin = { contents: "export { setTimeout } from './browser.mjs'", resolveDir }
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, write: false, format: 'cjs' })
  const { text } = outputFiles[0]!
  expect(text).not.toContain('maxPending')
  const module = { exports: {} as typeof Entry }
  new Function('module', text)(module)
  const handle = module.exports.setTimeout(() => {}, 5000)
  const { pending, deadline, remaining } = handle
  expect(pending).toBe(true)
  expect(deadline).toBeGreaterThanOrEqual(5000)
  expect(remaining).toBeGreaterThan(0)
  expect(remaining).toBeLessThanOrEqual(deadline)
  handle.close()
  expect([handle.pending, handle.deadline, handle.remaining]).toEqual([false, Number.NaN, Number.NaN])
})
