/**
 * node .tooling/api.mjs [--check]: makes docs/api.md of the public types and their comments, by TypeDoc.
 *
 * TypeDoc writes a page for each entry, with each parameter in a table and a heading for all that a signature says already.
 * This joins the pages and keeps signatures, descriptions, parameters that are described, results and errors.
 *
 * --check: writes nothing, and fails if docs/api.md is not what would be written
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localBin, mustRun, root } from './step.mjs'

const pages = 'build/api'
const target = join(root, 'docs/api.md')

const intro = `# API

Made by \`npm run docs\` from the types of the package. [guide.md](guide.md) has recipes, and a table of all errors. Every
entry for timers (\`timeout-wheel\`, \`timeout-wheel/native\`, \`timeout-wheel/wasm\`) exports the same names. In pages there are no
\`setImmediate\`, no \`clearImmediate\`, and no fields that begin with an underscore.
`

/** Sections that repeat a signature, or name what is not part of the package. */
const left = ['Inherited from', 'Overrides', 'Extends', 'Type Parameters']
/** Headings without a section of their own: what follows stands by itself. */
const bare = ['Call Signature', 'Constructor', 'Methods', 'Properties', 'Constructors', 'Parameters']

/** @typedef {{ level: number, title: string, body: string }} Section */

/**
 * @param {string} text
 * @returns {Section[]}
 */
function sectionsOf(text) {
  return text.split(/^(?=#{1,6} )/m).map((part) => {
    const [, marks = '', title = '', body = part] = /^(#+) (.*)\n([\s\S]*)$/.exec(part) ?? []
    return { level: marks.length, title: title.replaceAll('\\', ''), body: body.trim() }
  })
}

/** @param {string} text */
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.:]$/.test(text) ? '' : '.'}`

/** @param {string} text  Lines that TypeDoc has indented, as they are in a comment. */
const unwrap = (text) => text.replace(/\n +/g, ' ')

/** The parameters that are described, of a table. @param {string} table */
function formatParameters(table) {
  return table
    .split('\n')
    .slice(2)
    .flatMap((row) => {
      const cells = row.split(/(?<!\\) ?\| ?/).slice(1, -1)
      const description = cells[2]
      return description === undefined || description === '-' ? [] : [`- ${cells[0]}: ${description}`]
    })
    .join('\n')
}

/** @param {string} body  A type, and perhaps a description. */
function formatReturns(body) {
  const [, ...description] = body.split('\n\n')
  return description.length === 0 ? '' : `Returns ${unwrap(description.join('\n\n'))}.`
}

/** Signatures without the value that a constant has in the source. @param {string} body */
const withoutValues = (body) => body.replace(/ = entry\.\w+;$/gm, ';').replaceAll(/ +$/gm, '')

/** Of a constant: its signature and its own description, without that of its type. @param {string} body */
const ownDescription = (body) => /^```ts\n[\s\S]*?\n```(\n\n.+(\n.+)*)?/.exec(body)?.[0] ?? body

/** @param {Section} section */
function formatSection({ level, title, body }) {
  if (left.includes(title)) return ''
  if (title === 'Parameters') return formatParameters(body)
  if (title === 'Returns') return formatReturns(body)
  if (title === 'Throws') return `Throws: ${sentence(unwrap(body))}`
  const text = withoutValues(body)
  if (bare.includes(title) || level === 0) return text
  // Members have a heading for their group above them, which is left out.
  const marks = '#'.repeat(Math.min(level + 1, 4))
  return `${marks} ${title.replace(/[()?]/g, '')}\n\n${/^```ts\nconst /.test(text) ? ownDescription(text) : text}`
}

/** @param {string} name  Of a page. */
function sectionsOfPage(name) {
  const text = readFileSync(join(root, pages, `${name}.md`), 'utf8')
  // What `setTimeout` has for `util.promisify` is described where the promises are.
  return sectionsOf(
    text.replace(/^### Type Declaration$[\s\S]*?(?=^\*\*\*$)/gm, '').replace(/^\*\*\*$/gm, ''),
  )
}

/** @param {Section[]} sections */
const formatPage = (sections) =>
  sections
    .map(formatSection)
    .filter((text, i, all) => text !== '' && text !== all[i - 1])
    .join('\n\n')

function makeReference() {
  rmSync(join(root, pages), { recursive: true, force: true })
  mustRun(process.execPath, [localBin('typedoc')])
  const promised = sectionsOfPage('promises').filter(
    ({ level, body }) => level === 2 && !body.startsWith('Re-exports'),
  )
  const names = promised.map(({ title }) => `\`${title}\``).join(', ')
  const text = [
    intro,
    '## timeout-wheel\n',
    formatPage(sectionsOfPage('node')),
    '\n## timeout-wheel/promises\n',
    `${names}: the members of [TimersPromises](#timerspromises).`,
    '\n## timeout-wheel/register\n',
    formatPage(sectionsOfPage('register')),
  ].join('\n')
  return `${text
    .replaceAll(/\(\w+\.md#/g, '(#')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`
}

/** @param {string} text  The same, as `npm run format` would have it. */
const format = (text) =>
  execFileSync(localBin('biome'), ['format', '--stdin-file-path=docs/api.md'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })

const reference = format(makeReference())
if (!process.argv.includes('--check')) {
  writeFileSync(target, reference)
} else if (readFileSync(target, 'utf8') !== reference) {
  console.error('docs/api.md is not up to date: run `npm run docs`')
  process.exitCode = 1
}
