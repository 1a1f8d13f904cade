import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brokenLinksOf } from '../docs/links.js'
import { ADDON, execute, ROOT, TARBALL, tool, useProject } from './installed.js'

const project = useProject()
/** The files of the package, by their paths in it. */
let files: string[]
beforeAll(() => {
  const isFile = (path: string): boolean => statSync(join(project.packageFolder, path)).isFile()
  files = readdirSync(project.packageFolder, { recursive: true, encoding: 'utf8' }).filter(isFile)
})

it('contains the addon, the built files as plain ASCII and the documents for users, no sources', () => {
  expect(files).toContain(ADDON)
  const roots =
    'CHANGELOG.md LICENSE README.md THIRD-PARTY-NOTICES.md bench dist docs package.json prebuilds'.split(' ')
  expect([...new Set(files.map((path) => path.split('/')[0]))].sort()).toEqual(roots)
  const isSource = /^docs\/contributing\/|^(bench|docs(?!\/examples))\/(?!.*\.(md|svg)$)/
  expect(files.filter((path) => isSource.test(path))).toEqual([])
  const isUnprintable = (path: string): boolean =>
    /^dist\/.*js$/.test(path) && /[^\n\t -~]/.test(readFileSync(join(project.packageFolder, path), 'utf8'))
  expect(files.filter(isUnprintable)).toEqual([])
})

it('contains all that its documents link to and show', () => {
  const documents = files.filter((path) => path.endsWith('.md'))
  expect(documents).toContain('README.md')
  for (const document of documents)
    expect([document, brokenLinksOf(document, project.packageFolder)]).toEqual([document, []])
})

// Without comments and white space, because an import takes longer with each byte; with names and lines for stack traces.
it.each([
  ['node.mjs', 90_000],
  ['choose-backend.cjs', 90_000],
  ['features.cjs', 55_000],
  ['whole/choose-backend.mjs', 140_000],
])('contains short code for all entries on Node: %s', (name, most) => {
  const code = readFileSync(join(project.packageFolder, `dist/${name}`), 'utf8')
  expect(code.length).toBeLessThan(most)
  expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThan(500)
  const whole = code.replace(/\\?\n/g, '')
  // A global property: see .tooling/shorten.mjs.
  expect(whole.match(/[^ \w]Infinity\b/g)).toBeNull()
  expect(/function setInterval\b|\bWheelMapTimer=class\b/.test(whole)).toBe(true)
  // In parentheses, V8 compiles it at once.
  if (name !== 'features.cjs') expect(whole).toContain('var timerWheelClass=(function(')
  // So that tools which collect the files of a program find it.
  if (!/features|whole/.test(name)) expect(whole).toMatch(/(new URL|require)\(['"`]\.\/features\.cjs['"`]/)
})

it.concurrent.each([
  ['publint', '--strict'],
  // The types match the code for every entry and every way of importing.
  ['attw', '--no-color --'],
])('satisfies %s %s', async (program, options) => {
  const args = [...options.split(' '), join(project.folder, TARBALL)]
  const { code, stdout, stderr } = await execute(tool(program), args, ROOT)
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' })
})
