/**
 * node .tooling/api.mjs [--check]: writes the sections of docs/api.md from the public types of lib/api and lib/durable and their comments. A section is a
 * heading `### Name` of a type, a class or a function, in the place where it stands. A type that has none, and that the head of the
 * document does not name, fails. So does, with --check, a docs/api.md that would change.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { fail, filesUnder, localBin, outputOf, root } from './step.mjs'

/** Types that only other types of lib/api use, and those of functions that the head explains. */
const UNNAMED =
  'AbortSignalLike ClearTimeout MakeTimeoutSignal Scheduler SetInterval Signal Stats ' +
  'TimerGroupFunction Timers'
/** Errors that the head of docs/api.md explains for all functions. */
const IS_COMMON =
  /^(TypeError|RangeError|Error with code `ERR_WHEEL_(STOPPED|DRIVER|ENDLESS)|the error of a callback, as)(?!.*changed)/
/** The range that the head of docs/api.md gives for all delays. */
const USUAL_DELAY = 'milliseconds from 0 to 2^53 - 1'

/** The later of two types with one name counts. */
const DURABLE = ['lib/entry/durable.ts', 'lib/durable/common/types.ts']

const declared = new Map()
for (const path of filesUnder('lib/api', 'lib/entry/register.ts', ...DURABLE)) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  for (const node of file.statements)
    if (node.getText().startsWith('export ') && node.name) declared.set(node.name.text, node)
}

const target = join(root, 'docs/api.md')
const present = readFileSync(target, 'utf8')
const [head] = present.split('\n\n## timeout-wheel\n')
const headings = present.slice(head.length).match(/^#{2,3} .*$/gm)

/** The type that describes what a heading names, and that of the constructor of a class. */
function typesOf(heading) {
  const name = heading.replace(/^#+ /, '')
  const type = name[0].toUpperCase() + name.slice(1)
  const own = type === name ? [name] : [`${type}Function`, type, name]
  return [own.find((one) => declared.has(one)), `${name}Constructor`]
}

const documented = [...headings.flatMap(typesOf), ...UNNAMED.split(' ')]
for (const name of declared.keys())
  if (!documented.includes(name) && !head.includes(`\`${name}\``))
    fail(`docs/api.md needs a heading \`### Name\` of the type ${name}, or its name in its head`)

const linked = (text) =>
  text
    .replace(/\{@link (\w+\.\w+)\}/g, '`$1`')
    .replace(/\{@link (\w+)\}/g, (_, name) => `[${name}](#${name.toLowerCase()})`)
const oneLine = (text) => text.replace(/\n +| +\n/g, ' ').replace(/\n(?!\n|- )/g, ' ')

/** The comment of a declaration, as paragraphs: its text, the parameters, the result, and errors of its own. @param {ts.Node} node */
function commentOf(node) {
  const docs = node.jsDoc?.at(-1)
  const text = linked(ts.getTextOfJSDocComment(docs?.comment) ?? '')
  const [parameters, others] = [[], []]
  for (const tag of docs?.tags ?? []) {
    const words = oneLine(linked(ts.getTextOfJSDocComment(tag.comment) ?? ''))
    if (ts.isJSDocParameterTag(tag)) {
      if (words === USUAL_DELAY) continue
      const { questionToken } = node.parameters.find(({ name }) => name.getText() === tag.name.text)
      parameters.push(`- \`${tag.name.text}${questionToken ? '?' : ''}\`: ${words}`)
    } else if (tag.tagName.text === 'returns') others.push(`Returns ${words}.`)
    else if (tag.tagName.text !== 'throws') fail(`.tooling/api.mjs knows no @${tag.tagName.text}`)
    else if (!IS_COMMON.test(words)) others.push(`Throws: ${words[0].toUpperCase()}${words.slice(1)}.`)
  }
  return [text, parameters.join('\n'), ...others].filter((part) => part !== '')
}

/** A member as a user would write it, without the types of further arguments, which are those of the callback. @param {string} [name] of a call */
const signatureOf = (node, name = '') =>
  node
    .getText()
    .replace(node.body?.getText() ?? '', '')
    .trim()
    .replace(/^export function /, '')
    .replace(/^(new )?(?=[<(])/, `$1${name}`)
    .replace(/^(\w+\?: )\((.*)\) \| undefined$|^(\w+\?: .*) \| undefined$/, '$1$2$3')
    .replace(/: (Signal\b|NonNullable<TimerOptions\['signal'\]>)/, ': AbortSignal')
    .replace(/\bHandle\b/g, 'Timeout')
    .replace(/<(Timeout|unknown|A extends unknown\[\])>|this: Timeout, |(?<=\.\.\.args): A\b/g, '')
    .replace(/: Wheel$/, `: ${name}`)
    // The types of names are explained once.
    .replace(/<N extends [^>]*>|<Names\[N\]>|Of<Names, N>|<N>|<Names( extends .*)?>(?=[(>])/g, '')
    .replace(/\bname: (N|Name|keyof Names & string)\b/, 'name: string')
    .replace(/\n {2}/g, '\n')

/** A member and its comment. The signature is in one line if that is not too long. @param {ts.Node} node @param {string} [name] of a call */
function describe(node, name) {
  const signature = signatureOf(node, name)
  const line = signature.replace(/(?<=\()\n +|,?\n(?=\))/g, '').replace(/\n */g, ' ')
  return [`\`\`\`ts\n${line.length <= 120 ? line : signature}\n\`\`\``, ...commentOf(node)]
}

/** The overloads of a method: a heading with the signature if it is one, and short. @param {string} name @param {ts.Node[]} methods */
function formatMethod(name, methods) {
  const nodes = methods.filter((one) => one.name.getText() === name)
  const first = signatureOf(nodes[0])
  const isShort = nodes.length === 1 && /^.{1,80}$/.test(first)
  if (isShort) return [`#### \`${first}\``, ...commentOf(nodes[0])]
  return [`#### ${name}`, ...nodes.flatMap((node) => describe(node))]
}

/** Overloads that only the compiler needs, and methods that the head of docs/api.md or another method names. @param {ts.Node} node */
const isLeftOut = (node) => /^(The same (for|with)|Does the same as)/.test(commentOf(node)[0])

/** The members of an interface, and before them those of the interfaces of lib/api that it extends, if these have no section. */
function membersOf(/** @type {ts.InterfaceDeclaration} */ { heritageClauses = [], members }) {
  const names = heritageClauses.flatMap(({ types }) => types.map((one) => one.getText()))
  const bases = names.filter((name) => !headings.includes(`### ${name}`)).map((name) => declared.get(name))
  const inherited = bases.filter((one) => one && ts.isInterfaceDeclaration(one)).flatMap(membersOf)
  return [...inherited, ...members.filter((one) => !isLeftOut(one))]
}

/** The members of the interfaces of which a type is an intersection. */
const membersOfType = (/** @type {ts.TypeAliasDeclaration} */ { type }) =>
  type.types
    .map((one) => declared.get(one.getText()))
    .filter((one) => one !== undefined)
    .flatMap(membersOf)

/** @param {string} heading @returns {string[]} the paragraphs of its section */
function formatSection(heading) {
  const [node, maker] = typesOf(heading).map((type) => declared.get(type))
  if (heading.startsWith('## ')) return [heading]
  if (node === undefined) fail(`${heading} of docs/api.md names nothing that lib/api exports`)
  const name = heading.slice('### '.length)
  const members = ts.isInterfaceDeclaration(node)
    ? membersOf
    : ts.isTypeAliasDeclaration(node)
      ? membersOfType
      : (one) => [one]
  const own = [...(maker?.members.filter(ts.isMethodSignature) ?? []), ...members(node)]
  const isFunction = /^[a-z]/.test(name)
  const calls =
    maker?.members.filter(ts.isConstructSignatureDeclaration) ?? own.filter((one) => !one.name || isFunction)
  // The heading says as much as a comment such as `Options of a group.`.
  const about = calls.length > 0 ? [] : commentOf(node).filter((text) => !/^Options of [^.]+\.$/.test(text))
  const described = calls.flatMap((call) => describe(call, name))
  // Undocumented fields of Node's handles begin with an underscore: docs/differences.md.
  const named = own.filter((one) => !calls.includes(one) && !one.name.getText().startsWith('_'))
  const properties = named.filter(ts.isPropertySignature).map((one) => {
    const text = commentOf(one).map((part) => oneLine(part).replace(/\n+(?! )/g, '\n  '))
    return [`- \`${signatureOf(one)}\``, text.join('\n  ')].filter(Boolean).join(': ')
  })
  const methods = named.filter((one) => !ts.isPropertySignature(one))
  const names = new Set(methods.map((one) => one.name.getText()))
  const formatted = Array.from(names, (method) => formatMethod(method, methods)).flat()
  return [heading, ...about, ...described, properties.join('\n'), ...formatted].filter(Boolean)
}

const reference = await outputOf(localBin('biome'), ['format', '--stdin-file-path=docs/api.md'], {
  input: `${[head, ...headings.flatMap(formatSection)].join('\n\n')}\n`,
})
if (!process.argv.includes('--check')) writeFileSync(target, reference)
else if (present !== reference) fail('docs/api.md is not up to date: run `npm run docs`')
