/**
 * node .tooling/api.mjs [--check]: makes docs/api.md of the public types and their comments, by TypeDoc.
 *
 * TypeDoc writes a page for each entry, with a heading for each parameter and each property. This joins the pages behind
 * api-head.md, and keeps one line for each property, and for each method its signature and description. Errors that
 * api-head.md explains for all functions are left out.
 *
 * --check: writes nothing, and fails if docs/api.md is not what would be written
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localBin, mustRun, outputOf, root } from './step.mjs'

const pages = 'build/api'
const target = join(root, 'docs/api.md')

/** Sections that repeat a signature, or name what is not part of the package. */
const omitted = ['Inherited from', 'Overrides', 'Extends', 'Type Parameters']
/** Headings above members. */
const kinds = ['Methods', 'Properties', 'Constructors']
/** What api-head.md describes. */
const inHead = (
  'setTimeout setInterval clearTimeout clearInterval timerGroup timeoutSignal stats ' +
  'setImmediate clearImmediate Immediate TimeoutLike ConnectionServer IntervalIterator ' +
  'promises TimersPromises TimerOptions Scheduler'
).split(' ')
/** Errors that api-head.md explains for all functions. */
const isCommon = (/** @type {string} */ text) =>
  /^(TypeError|RangeError|Error with code `ERR_WHEEL_(STOPPED|DRIVER))/.test(text) && !/changed/.test(text)

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

/** Text that follows a signature. @param {Section} section */
function formatPart({ title, body }) {
  if (omitted.includes(title)) return ''
  if (title === 'Parameters') return formatParameters(body)
  if (title === 'Returns') return formatReturns(body)
  if (title === 'Throws') return isCommon(body) ? '' : `Throws: ${sentence(unwrap(body))}`
  return withoutValues(body)
}

/** @param {Section[]} parts */
const formatParts = (parts) => parts.map(formatPart).filter((text) => text !== '')

const signed = /^```ts\n([\s\S]*?)\n```\n*([\s\S]*)$/

/** A line for a property. @param {Section[]} member */
function formatProperty([head, ...parts]) {
  const [, signature, description] = signed.exec(withoutValues(head.body))
  // What an object type has inside is in the description.
  const rest = parts.filter(({ level }) => level > head.level && parts[0].title === 'Throws')
  const paragraphs = [
    description.replace(/\n(?!\n|- )/g, ' ').replaceAll('\n', '\n  '),
    ...formatParts(rest),
  ].filter((text) => text !== '')
  return `- \`${signature.replace(/;$/, '')}\`${paragraphs.length > 0 ? `: ${paragraphs.join('\n  ')}` : ''}`
}

/** A heading for a method, and its text. @param {Section[]} member */
function formatMethod([head, ...parts]) {
  const name = head.title.replace(/\(\)$/, '')
  const [, signature = '', description = ''] = signed.exec(head.body) ?? []
  if (signature === '' || signature.includes('\n') || signature.length > 80) {
    return [`#### ${name}`, ...formatParts([head, ...parts])].join('\n\n')
  }
  const heading = `#### \`${signature.replace(/;$/, '').replace(/^\[(?=\w)/, '[Symbol.')}\``
  return [heading, ...formatParts([{ ...head, title: '', body: description }, ...parts])].join('\n\n')
}

/** The sections of each heading of a level. @param {Section[]} sections @param {(section: Section) => boolean} isHead */
function groupsOf(sections, isHead) {
  /** @type {Section[][]} */
  const groups = []
  for (const section of sections) {
    if (isHead(section)) groups.push([])
    groups.at(-1)?.push(section)
  }
  return groups
}

/** @param {Section[]} group  What belongs to one export. */
function formatExport(group) {
  const first = group.findIndex(({ level, title }) => level === 3 && kinds.includes(title))
  const own = first === -1 ? group : group.slice(0, first)
  // A class inherits all members from an interface that is not exported.
  const isClass = group.some(({ title }) => title === 'Constructors')
  const properties = []
  const constructors = []
  const methods = []
  for (const kind of first === -1 ? [] : groupsOf(group.slice(first), ({ level }) => level === 3)) {
    for (const member of groupsOf(kind.slice(1), ({ level }) => level === 4)) {
      // Undocumented fields of Node's handles: docs/differences.md.
      if (member[0].title.startsWith('_')) continue
      if (!isClass && member.some(({ title }) => title === 'Inherited from')) continue
      if (kind[0].title === 'Properties') properties.push(formatProperty(member))
      else if (kind[0].title === 'Methods') methods.push(formatMethod(member))
      else constructors.push(formatParts(member).join('\n\n'))
    }
  }
  const [head, ...rest] = own
  return [
    `### ${head.title.replace(/\(\)$/, '')}`,
    ...formatParts([head, ...rest]),
    ...constructors,
    properties.join('\n'),
    ...methods,
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** The sections of a page by exports. @param {Section[]} sections */
const exportsOf = (sections) => groupsOf(sections, ({ level }) => level <= 2 && level > 0)

/** @param {string} name  Of a page. */
function sectionsOfPage(name) {
  return sectionsOf(readFileSync(join(root, pages, `${name}.md`), 'utf8').replace(/^\*\*\*$/gm, ''))
}

/** Puts the constructor of a class with its instances. @param {Section[][]} groups */
function joinClasses(groups) {
  const named = (/** @type {string} */ name) => groups.findLast(([{ title }]) => title === name)
  for (const [{ title }, ...sections] of groups) {
    const instance = /Constructor$/.test(title) ? named(title.slice(0, -'Constructor'.length)) : undefined
    const first = sections.findIndex((section) => section.title === 'Constructors')
    const end = sections.findIndex((section) => section.title === 'Properties')
    if (instance !== undefined) instance.splice(1, 0, ...sections.slice(first, end === -1 ? undefined : end))
  }
  return groups.filter((group) => !/Constructor$/.test(group[0].title) && named(group[0].title) === group)
}

/**
 * Gives each exported function the section of its type, with the function's name in the signatures: `setTimeout: SetTimeout`
 * says nothing to a reader.
 *
 * @param {Section[]} sections  Of a page.
 */
function describeFunctions(sections) {
  const exported = exportsOf(sections)
  const isType = (/** @type {Section[]} */ [{ title }]) => /^[A-Z]\w+\(\)$/.test(title)
  const types = new Map(exported.filter(isType).map((group) => [group[0].title.slice(0, -2), group]))
  const described = new Set()
  const result = exported
    .filter((group) => !isType(group))
    .map((group) => {
      const [, name, type] = /^```ts\n(?:const )?(\w+): (\w+);\n```$/.exec(group[0].body) ?? []
      const typeGroup = types.get(type)
      if (typeGroup === undefined) return group
      described.add(type)
      return sectionsOfFunction(name, type, typeGroup)
    })
  const unused = [...types.keys()].filter((type) => !described.has(type))
  if (unused.length > 0) throw new Error(`no exported function has the type ${unused}`)
  return result
}

/**
 * @param {string} name  Of a function.
 * @param {string} type  Its type.
 * @param {Section[]} group  The sections of the type.
 */
function sectionsOfFunction(name, type, [head, ...rest]) {
  const properties = rest.findIndex(({ title }) => title === 'Properties')
  const [own] = head.body.split('\n\n')
  return [{ ...head, title: name }, ...rest.slice(0, properties === -1 ? undefined : properties)]
    .filter(({ title, body }) => !(title === 'Throws' && body.includes('`stop()`')))
    .map(({ level, title, body }) => ({
      level,
      // TypeDoc puts the signature of a type that extends another below the list of what it extends.
      title: title === 'Extends' ? 'Call Signature' : title,
      body: (title === 'Extends' ? body.replace(/^- .*$/m, '') : body)
        .replace(own, '')
        .replace(new RegExp(`^${type}(?=[<(])`, 'm'), name)
        .trim(),
    }))
}

/** @param {Section[][]} groups */
const formatPage = (groups) =>
  groups
    .filter(([{ title }]) => !inHead.includes(title.replace(/\(\)$/, '')))
    .map(formatExport)
    .join('\n\n')

async function makeReference() {
  rmSync(join(root, pages), { recursive: true, force: true })
  await mustRun(process.execPath, [localBin('typedoc')])
  const text = [
    '## timeout-wheel\n',
    formatPage(joinClasses(describeFunctions(sectionsOfPage('node')))),
    '\n## timeout-wheel/register\n',
    formatPage(exportsOf(sectionsOfPage('register'))),
    '\n## timeout-wheel/http\n',
    formatPage(describeFunctions(sectionsOfPage('http'))),
  ].join('\n')
  const head = readFileSync(join(root, '.tooling/api-head.md'), 'utf8')
  return `${head}\n${text
    // Members have no anchors.
    .replaceAll(/\[(\w+\.\w+)\]\([\w.]*#[\w-]+\)/g, '`$1`')
    .replaceAll(/\(\w+\.md#/g, '(#')
    .replaceAll(/new (\w+)Constructor(?=[(<])/g, 'new $1')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`
}

/** @param {string} text  The same, as `npm run format` would have it. */
const format = (text) =>
  outputOf(localBin('biome'), ['format', '--stdin-file-path=docs/api.md'], { input: text })

const reference = await format(await makeReference())
if (!process.argv.includes('--check')) {
  writeFileSync(target, reference)
} else if (readFileSync(target, 'utf8') !== reference) {
  console.error('docs/api.md is not up to date: run `npm run docs`')
  process.exitCode = 1
}
