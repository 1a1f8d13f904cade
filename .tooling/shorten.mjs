/**
 * Shortens the code that all entries for Node share, because the time of an import grows with it. The names of functions, classes
 * and properties stay, because programs and stack traces show them. Private names become short: terser has no option that keeps them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { minify } from 'terser'
import { fail, root } from './step.mjs'

/**
 * The functions that each import calls, as `node --log-function-events` lists them. In parentheses, V8 compiles them with the file. It
 * scans others twice: with the file, and again at the call.
 */
const CALLED_AT_ONCE =
  'checkComplete checkLayout choose entryOn familyOn firstBudget inspectableMapClass lastingSingleton ' +
  'findAddon loadAddon loadFile loadFrom makeNative nativeOrWasm nodeFields openRegistry promisesOn ' +
  'settleLayout singleton timeoutsOn timeoutMapClass ' +
  'timerWheelClass timerWheelOn undeprecated variable'

function compiledAtOnce(path, code) {
  if (!/choose-backend|node\.mjs$/.test(path)) return code
  const { body } = parseAst(code)
  const names = CALLED_AT_ONCE.split(' ')
  const called = body.filter(({ type, id }) => type === 'FunctionDeclaration' && names.includes(id.name))
  const missing = names.filter((name) => !called.some(({ id }) => id.name === name))
  if (missing.length > 0) fail(`${path} has no function ${missing.join(', ')}`)
  // As constants, they must come before the statements that call them.
  const first = called.map(({ id, end }) => `const ${id.name}=(function${code.slice(id.end, end)});\n`)
  const { start } = body.find(({ type, directive }) => type !== 'ImportDeclaration' && !directive)
  const rest = called.reduceRight((text, one) => text.slice(0, one.start) + text.slice(one.end), code)
  return rest.slice(0, start) + first.join('') + rest.slice(start)
}

/** @param {string} path of a module in dist/ */
export async function shorten(path) {
  const file = join(root, path)
  const long = readFileSync(file, 'utf8')
  const reserved = long.match(/[\w$]+(?= = class\b)/g) ?? []
  const { code } = await minify(long, {
    module: path.endsWith('.mjs'),
    toplevel: true,
    // Further changes of statements would change the bytecode of functions, whose length decides what V8 inlines: see
    // docs/contributing/dead-ends.md. `Infinity`, into which the bundler changes `1 / 0`, is a property of the global object, and in a
    // `vm` context each read of one is a call: slow, and a place where a time limit can end code that must run to its end.
    compress: { defaults: false, keep_infinity: false },
    mangle: { keep_classnames: true, keep_fnames: true, reserved },
    // Node prints the line that throws an uncaught error. Only texts make a line longer.
    format: { ascii_only: true, comments: false, ecma: 2020, max_line_len: 110 },
  })
  // The line that compiles the WebAssembly module contains it.
  const inLines = code.replace(/(?<=\bunpack\()"[^"]+/, (text) => text.replace(/.{100}(?<!\\)/g, '$&\\\n'))
  writeFileSync(file, compiledAtOnce(path, inLines))
}
