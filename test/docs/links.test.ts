/** Documents: every relative link leads to a file and a heading that exist, every named file exists, and README stays short. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brokenLinksOf } from './links.js'
import { documents, readDocument, root } from './samples.js'

const all = [
  ...documents,
  ...readdirSync(join(root, 'docs/contributing'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/contributing/${name}`),
  ...['CONTRIBUTING.md', 'CHANGELOG.md', 'native/core/DESIGN.md'],
]

it.each(all)('%s links to files and headings that exist', (document) => {
  expect(brokenLinksOf(document, root)).toEqual([])
})

/** Folders with sources. Documents also name files outside of them: those of a program, and those that a build makes. */
const SOURCES = ['lib', 'native', 'wasm', 'test', 'bench', '.tooling', '.ci']
const sources = SOURCES.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(root, join(entry.parentPath, entry.name))}`),
)

/** The source files that a document names: from the root, or by the last parts of their paths. */
function filesOf(document: string): string[] {
  const found = readDocument(document).matchAll(/`([\w./-]+\.(?:ts|cc|h|mjs|cjs|hex))`/g)
  const names = Array.from(found, ([, name]) => name!)
  return names.filter((name) => !/^\.{1,2}\//.test(name) && !name.includes('dist/'))
}

// The changelog names files of former versions.
const ofThisVersion = all.filter((document) => document !== 'CHANGELOG.md')
it.each(ofThisVersion)('%s names source files that exist', (document) => {
  const isMissing = (name: string): boolean => !sources.some((source) => source.endsWith(`/${name}`))
  expect(filesOf(document).filter(isMissing)).toEqual([])
})

it('keeps README.md within 150 lines', () => {
  expect(readDocument('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})
