/** The documents of the site: where each has its page, and the sections in which the sidebar lists them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** Sections of the sidebar: the paths of documents, without `.md`. */
export const FOR_USERS = {
  Start: ['README', 'docs/guide', 'docs/integrations', 'docs/drop-in'],
  Understand: [
    'docs/how-it-works',
    'docs/benchmarks',
    'docs/site/charts',
    'docs/differences',
    'docs/precision',
  ],
  'Elsewhere than in Node': ['docs/browsers', 'docs/coming-from-netty'],
  'Durable timers': ['docs/durable', 'docs/examples/reminders/README'],
  Reference: ['docs/api', 'CHANGELOG', 'SECURITY'],
}
const contributing = (name) => `docs/contributing/${name}`
export const FOR_CONTRIBUTORS = {
  Start: ['CONTRIBUTING', ...['architecture', 'glossary'].map(contributing)],
  'How it is made': ['native/core/DESIGN', ...['durable', 'toolchain', 'dead-ends'].map(contributing)],
  'How it is checked': ['testing', 'benchmarking', 'releasing'].map(contributing),
}

/** The pages whose paths differ from those of their documents by more than the folder docs. */
const PAGES = {
  'README.md': 'index.md',
  'CONTRIBUTING.md': 'contributing/index.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'native/core/DESIGN.md': 'contributing/core.md',
}

/** The path of a document's page: `docs/guide.md` becomes `guide.md`, `docs/examples/a/README.md` becomes `examples/a/index.md`. */
export const pageOf = (document) =>
  PAGES[document] ?? document.replace(/^docs\/(site\/)?/, '').replace(/README\.md$/, 'index.md')

/** The title of a document, or its first heading. */
export const titleOf = (document) =>
  readFileSync(join(root, document), 'utf8').match(/^(?:title:|#) (.+)$/m)[1]

/** Files that have a page, too, because documents link to them. */
export const SOURCES = [
  ...readdirSync(join(root, 'docs/examples'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => posix.relative(root, posix.join(entry.parentPath ?? entry.path, entry.name))),
  '.github/workflows/release.yml',
  '.github/workflows/site.yml',
]

/** The page of a source file has a name without dots, because VitePress would take the rest for an ending. */
export const nameOfSource = (path) => path.replace(/\W+/g, '-').replace(/^-/, '')

/** Where a relative link of a document leads on the site. @param {string} document @param {string} link */
export function targetOf(document, link) {
  const [, path, anchor] = link.match(/^([^#]*)(#.*)?$/)
  const target = posix.join(posix.dirname(document), path)
  const page = SOURCES.includes(target) ? `source/${nameOfSource(target)}.md` : pageOf(target)
  return `/${page}${anchor ?? ''}`
}

/** The anchor of a heading, as GitHub makes it: the links of the documents work in both places. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replace(/ /g, '-')
