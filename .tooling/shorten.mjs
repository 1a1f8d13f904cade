/**
 * Shortens the code that all entries for Node share, because the time of an import grows with it. The names of functions, classes
 * and properties stay: programs and stack traces show them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { parseAst } from 'rolldown/parseAst'
import { minify } from 'rolldown/utils'
import { fail, root } from './step.mjs'

/** A line is not much longer. Node prints the line that throws an uncaught error. */
const LINE = 110

/** @returns {Set<string>} the names of the functions and classes that a text declares */
const namesIn = (code) =>
  new Set(Array.from(code.matchAll(/\b(?:function|class)[ *]+([\w$]+)/g), ([, name]) => name))

/**
 * Replaces `Infinity`, into which the bundler changes `1 / 0`. It is a property of the global object, and in a `vm` context each read of
 * one is a call: slow, and a place where a time limit can end code that must run to its end.
 */
function withoutInfinity(code) {
  const starts = []
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return
    if (node.type === 'Identifier' && node.name === 'Infinity') starts.push(node.start)
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(code))
  const parts = [...starts, code.length].map((start, i) =>
    code.slice(i === 0 ? 0 : starts[i - 1] + 'Infinity'.length, start),
  )
  return parts.join('(1/0)')
}

/**
 * The functions that each import calls, as `node --log-function-events` lists them. In parentheses, V8 compiles them with the file. It
 * scans others twice: with the file, and again at the call.
 */
const CALLED_AT_ONCE = new Set(
  (
    'builtin checkLayout familyOn firstBudget inspectableMapClass iterators keyOfResources lastingSingleton ' +
    'loadAddon loadFrom makeNative nativeOrWasm nodeFields openRegistry promisesOn releaseStores rememberScheduler ' +
    'schedulerOf settleLayout signalsOn singleton timeoutClass timeoutClasses timeoutMapClass timeoutMessage ' +
    'timeoutSignalOn timerWheelClass timersOn undeprecated variable wheelOn withTimeoutOn'
  ).split(' '),
)

function compiledAtOnce(path, code) {
  if (!/choose-backend|node\.mjs$/.test(path)) return code
  const { body } = parseAst(code)
  const called = body.filter(({ type, id }) => type === 'FunctionDeclaration' && CALLED_AT_ONCE.has(id.name))
  const missing = [...CALLED_AT_ONCE].filter((name) => !called.some(({ id }) => id.name === name))
  if (missing.length > 0) fail(`${path} has no function ${missing.join(', ')}`)
  // As constants, they must come before the statements that call them.
  const first = called.map(({ id, end }) => `const ${id.name}=(function${code.slice(id.end, end)});`)
  const { start } = body.find(({ type, directive }) => type !== 'ImportDeclaration' && !directive)
  const rest = called.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), code)
  return rest.slice(0, start) + first.join('') + rest.slice(start)
}

/** @param {string} path of a module in dist/ */
export async function shorten(path) {
  const file = join(root, path)
  const source = readFileSync(file, 'utf8')
  const { code, errors } = await minify(path, source, {
    module: path.endsWith('.mjs'),
    // It changes the bytecode of functions, whose length decides what V8 inlines: see docs/contributing/dead-ends.md.
    compress: false,
    mangle: { keepNames: { function: true, class: true } },
    codegen: { removeWhitespace: true },
  })
  if (errors.length > 0) fail(`${path}: ${errors.map(({ message }) => message).join('; ')}`)
  const lines = await transform(code, { target: 'es2022', minifyWhitespace: true, lineLimit: LINE })
  // It renames a function or a class whose name is also one of an outer scope.
  const names = namesIn(source)
  const renamed = [...namesIn(lines.code)].filter((name) => !names.has(name))
  if (renamed.length > 0)
    fail(`${path}: an inner function or class has a name of an outer scope: ${renamed.join(', ')}`)
  writeFileSync(file, withoutInfinity(compiledAtOnce(path, lines.code)))
}
