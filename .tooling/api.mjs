/**
 * node .tooling/api.mjs [--check]: writes the sections of docs/api.md from the public types of lib/api and their comments. An
 * exported type that is in no list below, or in two, fails. So does, with --check, a docs/api.md that would change.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { fail, filesUnder, localBin, outputOf, root } from './step.mjs'

/** The sections, by entry: a type; an export with the type that describes it (`name=Type`); a class (`Name+Constructor`). */
const SECTIONS = {
  'timeout-wheel':
    'setLongTimeout=SetLongTimeout configure=Configure withTimeout=WithTimeout ExpireMessage OverrunMessage TimerGroupOptions TimerGroup TimeoutSignal ' +
    'TimeoutSignalOptions WithTimeoutOptions WheelStats Lateness PageStats TimeoutMapOptions Timeout SharedWheelOptions ' +
    'TimerWheelOptions SetTimeoutOptions SetIntervalOptions ScheduleOptions UnexpiredTimer TimerWheel+TimerWheelConstructor ' +
    'TimeoutMap+TimeoutMapConstructor',
  'timeout-wheel/register': 'register=register unregister=unregister',
  'timeout-wheel/http': 'idleTimeout=IdleTimeoutFunction IdleTimeoutOptions IdleTimeout',
}
/** What the head of docs/api.md describes, and what is not exported. */
const IN_HEAD =
  'SetTimeout SetInterval ClearTimeout SetImmediate ClearImmediate Immediate Immediates Stats MakeTimeoutSignal TimerGroupFunction ' +
  'TimersPromises PromisedTimeout PromisedImmediate PromisedInterval TimerOptions IntervalIterator Scheduler Signal AbortSignalLike ' +
  'PageTimeout TimeoutLike ConnectionServer Timers'
/** Errors that the head of docs/api.md explains for all functions. */
const IS_COMMON =
  /^(TypeError|RangeError|Error with code `ERR_WHEEL_(STOPPED|DRIVER|ENDLESS)|the error of a callback, as)(?!.*changed)/
/** The range that the head of docs/api.md gives for all delays. */
const IS_USUAL_DELAY = /^milliseconds from 0 to 2\^53 - 1$/

/** @type {Map<string, ts.Node>} */
const declared = new Map()
for (const path of filesUnder('lib/api', 'lib/entry/register.ts')) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  for (const node of file.statements)
    if (node.getText().startsWith('export ')) declared.set(node.name.text, node)
}

const linked = (text) =>
  text
    .replace(/\{@link (\w+\.\w+)\}/g, '`$1`')
    .replace(/\{@link (\w+)\}/g, (_, name) => `[${name}](#${name.toLowerCase()})`)
const oneLine = (text) => text.replace(/\n +| +\n/g, ' ').replace(/\n(?!\n|- )/g, ' ')
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.:]$/.test(text) ? '' : '.'}`

/** The comment of a declaration, as paragraphs: its text, the parameters, the result, and errors of its own. @param {ts.Node} node */
function commentOf(node) {
  const docs = node.jsDoc?.at(-1)
  const text = linked(ts.getTextOfJSDocComment(docs?.comment) ?? '')
  const [parameters, others] = [[], []]
  for (const tag of docs?.tags ?? []) {
    const words = oneLine(linked(ts.getTextOfJSDocComment(tag.comment) ?? ''))
    if (ts.isJSDocParameterTag(tag)) {
      if (IS_USUAL_DELAY.test(words)) continue
      const { questionToken } = node.parameters.find(({ name }) => name.getText() === tag.name.text)
      parameters.push(`- \`${tag.name.text}${questionToken ? '?' : ''}\`: ${words}`)
    } else if (tag.tagName.text === 'returns') others.push(`Returns ${words}.`)
    else if (tag.tagName.text !== 'throws') fail(`.tooling/api.mjs knows no @${tag.tagName.text}`)
    else if (!IS_COMMON.test(words)) others.push(`Throws: ${sentence(words)}`)
  }
  return [text, parameters.join('\n'), ...others].filter((part) => part !== '')
}

/**
 * The text of a member as a user would write it. The types of further arguments are left out, because they are those of the callback.
 *
 * @param {ts.Node} node @param {string} [name] of a call
 */
const signatureOf = (node, name = '') =>
  node
    .getText()
    .replace(node.body?.getText() ?? '', '')
    .trim()
    .replace(/^export function /, '')
    .replace(/^new (?=[<(])/, `new ${name}`)
    .replace(/^(?=[<(])/, name)
    .replace(/^(\w+\?: )\((.*)\) \| undefined$|^(\w+\?: .*) \| undefined$/, '$1$2$3')
    .replace(/: Signal\b/, ': AbortSignal')
    .replace(/\bHandle\b/g, 'Timeout')
    .replace('<Timeout>', '')
    .replace('<A extends unknown[]>', '')
    .replace('this: Timeout, ', '')
    .replaceAll(/\.\.\.args: A\b/g, '...args')
    .replace('TimerWheel<unknown>', 'TimerWheel')
    .replace(/: Wheel$/, `: ${name}`)
    .replace(/\n {2}/g, '\n')

/** In one line if it is not too long. @param {string} signature */
function inOneLine(signature) {
  const line = signature
    .replace(/\(\n +/g, '(')
    .replace(/,?\n\)/g, ')')
    .replace(/\n */g, ' ')
  return line.length <= 120 ? line : signature
}

const block = (signature) => `\`\`\`ts\n${signature}\n\`\`\``

/** The overloads of a method: a heading with the signature if it is one, and short. @param {string} name @param {ts.Node[]} methods */
function formatMethod(name, methods) {
  const nodes = methods.filter((one) => one.name.getText() === name)
  const first = signatureOf(nodes[0])
  const isShort = nodes.length === 1 && /^.{1,80}$/.test(first)
  const bodies = nodes.flatMap((node) => [
    ...(isShort ? [] : [block(inOneLine(signatureOf(node)))]),
    ...commentOf(node),
  ])
  return [`#### ${isShort ? `\`${first}\`` : name}`, ...bodies]
}

/** Overloads that only the compiler needs, and methods that the head of docs/api.md or another method names. @param {ts.Node} node */
const isLeftOut = (node) =>
  /^(The same (for|with)|Does the same as)/.test(ts.getTextOfJSDocComment(node.jsDoc?.at(-1)?.comment) ?? '')

/**
 * The members of an interface, and before them those of the interfaces of lib/api that it extends, if these have no section.
 *
 * @param {ts.InterfaceDeclaration} node
 */
function membersOf(node) {
  const names = node.heritageClauses?.flatMap(({ types }) => types.map((one) => one.getText())) ?? []
  const bases = names.filter((name) => IN_HEAD.split(' ').includes(name)).map((name) => declared.get(name))
  return [
    ...bases.filter((base) => base && ts.isInterfaceDeclaration(base)).flatMap(membersOf),
    ...node.members.filter((one) => !isLeftOut(one)),
  ]
}

/** @param {string} section one of SECTIONS @returns {string[]} its paragraphs */
function formatSection(section) {
  const [, name, sign, type] = section.match(/^(\w+)(?:([=+])(\w+))?$/)
  const node = declared.get(sign === '=' ? type : name) ?? fail(`lib/api exports no ${section}`)
  const own = ts.isInterfaceDeclaration(node) ? membersOf(node) : [node]
  const calls =
    sign === '+'
      ? declared.get(type).members.filter(ts.isConstructSignatureDeclaration)
      : own.filter((one) => !one.name || sign === '=')
  // The heading says as much as a comment such as `Options of a group.`.
  const about = calls.length > 0 ? [] : commentOf(node).filter((text) => !/^Options of [^.]+\.$/.test(text))
  const paragraphs = [`### ${name}`, ...about]
  for (const call of calls) paragraphs.push(block(signatureOf(call, name)), ...commentOf(call))
  // Undocumented fields of Node's handles begin with an underscore: docs/differences.md.
  const members = own.filter((one) => !calls.includes(one) && !one.name.getText().startsWith('_'))
  const properties = members.filter(ts.isPropertySignature).map((one) => {
    const text = commentOf(one).map((part) => oneLine(part).replace(/\n+(?! )/g, '\n  '))
    return `- \`${signatureOf(one)}\`${text.length > 0 ? `: ${text.join('\n  ')}` : ''}`
  })
  if (properties.length > 0) paragraphs.push(properties.join('\n'))
  const methods = members.filter((one) => !ts.isPropertySignature(one))
  const names = new Set(methods.map((one) => one.name.getText()))
  return [...paragraphs, ...Array.from(names, (name) => formatMethod(name, methods)).flat()]
}

const named = `${Object.values(SECTIONS).join(' ')} ${IN_HEAD}`.split(' ').flatMap((one) => one.split('+'))
const types = named.map((one) => one.replace(/^.*=/, ''))
const wrong = [...declared.keys()].filter((name) => types.filter((one) => one === name).length !== 1)
if (wrong.length > 0) fail(`.tooling/api.mjs does not list once: ${wrong.join(', ')}`)

const target = join(root, 'docs/api.md')
const present = readFileSync(target, 'utf8')
const [head] = present.split('\n\n## timeout-wheel\n')
const entries = Object.entries(SECTIONS).flatMap(([entry, sections]) => [
  `## ${entry}`,
  ...sections.split(' ').flatMap(formatSection),
])
const reference = await outputOf(localBin('biome'), ['format', '--stdin-file-path=docs/api.md'], {
  input: `${[head, ...entries].join('\n\n')}\n`,
})
if (!process.argv.includes('--check')) writeFileSync(target, reference)
else if (present !== reference) fail('docs/api.md is not up to date: run `npm run docs`')
