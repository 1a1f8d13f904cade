/**
 * Shortens the code that all entries for Node share, because the time of an import grows with it. The names of functions, classes
 * and properties stay: programs and stack traces show them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { minify } from 'rolldown/utils'
import { fail, root } from './step.mjs'

/** A line is not much longer. Node prints the line that throws an uncaught error. */
const LINE = 110

/** The nodes of the code and their lists, each with the name of its place in its parent. */
function* nodesOf(node, key) {
  if (node === null || typeof node !== 'object') return
  yield [node, key]
  for (const [name, child] of Object.entries(node)) yield* nodesOf(child, Array.isArray(node) ? key : name)
}

/** Replaces parts of the code. Of two at the same place, the later one comes first. @param {[start: number, end: number, text: string][]} edits */
const edited = (code, edits) =>
  edits
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [start, end, part]) => text.slice(0, start) + part + text.slice(end), code)

/** Breaks the code: after statements, members and the commas of lists, and within long texts. */
function inLines(code) {
  const breaks = new Map()
  for (const [node, key] of nodesOf(parseAst(code))) {
    if (key === 'body' && Array.isArray(node)) for (const { end } of node) breaks.set(end, '\n')
    if (/^(properties|elements|declarations|arguments|params)$/.test(key) && code[node.end] === ',')
      breaks.set(node.end + 1, '\n')
    if (!/^(Literal|TemplateElement)$/.test(node.type)) continue
    // Not within an escape, and a line break that is escaped is no part of the text.
    for (let at = node.start + LINE; at < node.end - LINE; at++)
      if (!code.slice(at - 10, at).includes('\\')) breaks.set(at, '\\\n')
  }
  const edits = Array.from(breaks, ([at, text]) => [at, at, text]).sort(([a], [b]) => a - b)
  let start = 0
  const isChosen = ([at], i) => {
    const isLast = at > start && edits[i + 1]?.[0] - start > LINE
    if (isLast) start = at
    return isLast
  }
  return edited(code, edits.filter(isChosen))
}

/**
 * Puts plain texts, which the minifier writes as templates, into quotation marks: V8 scans them faster. Replaces `Infinity`, into which the
 * bundler changes `1 / 0`. It is a property of the global object, and in a `vm` context each read of one is a call: slow, and a place
 * where a time limit can end code that must run to its end.
 */
function withFastConstants(code) {
  const edits = []
  for (const [{ type, name, start, end, expressions }, key] of nodesOf(parseAst(code))) {
    if (type === 'Identifier' && name === 'Infinity') edits.push([start, end, '(1/0)'])
    if (type !== 'TemplateLiteral' || expressions.length > 0 || key === 'quasi') continue
    if (!/["\\\n]/.test(code.slice(start, end))) edits.push([start, start + 1, '"'], [end - 1, end, '"'])
  }
  return edited(code, edits)
}

/**
 * The functions that each import calls, as `node --log-function-events` lists them. In parentheses, V8 compiles them with the file. It
 * scans others twice: with the file, and again at the call.
 */
const CALLED_AT_ONCE =
  'builtin checkComplete checkLayout choose familyOn firstBudget inspectableMapClass iterators keyOfResources lastingSingleton ' +
  'findAddon load loadAddon loadFile loadFrom makeNative nativeOrWasm nodeFields openRegistry promisesOn releaseStores rememberScheduler ' +
  'schedulerOf settleLayout signalsOn singleton timeoutClass timeoutClasses timeoutMapClass timeoutMessage ' +
  'timeoutSignalOn timerWheelClass timersOn undeprecated variable wheelOn withTimeoutOn'

function compiledAtOnce(path, code) {
  if (!/choose-backend|node\.mjs$/.test(path)) return code
  const { body } = parseAst(code)
  const names = CALLED_AT_ONCE.split(' ')
  const called = body.filter(({ type, id }) => type === 'FunctionDeclaration' && names.includes(id.name))
  const missing = names.filter((name) => !called.some(({ id }) => id.name === name))
  if (missing.length > 0) fail(`${path} has no function ${missing.join(', ')}`)
  // As constants, they must come before the statements that call them.
  const first = called.map(({ id, end }) => `const ${id.name}=(function${code.slice(id.end, end)});`).join('')
  const { start } = body.find(({ type, directive }) => type !== 'ImportDeclaration' && !directive)
  return edited(code, [...called.map((one) => [one.start, one.end, '']), [start, start, first]])
}

/** @param {string} path of a module in dist/ */
export async function shorten(path) {
  const file = join(root, path)
  const { code, errors } = await minify(path, readFileSync(file, 'utf8'), {
    module: path.endsWith('.mjs'),
    // It changes the bytecode of functions, whose length decides what V8 inlines: see docs/contributing/dead-ends.md.
    compress: false,
    mangle: { keepNames: { function: true, class: true } },
    codegen: { removeWhitespace: true },
  })
  if (errors.length > 0) fail(`${path}: ${errors.map(({ message }) => message).join('; ')}`)
  writeFileSync(file, inLines(withFastConstants(compiledAtOnce(path, code))))
}
