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
 * The functions that an import or the first timers call, by the function that contains them, as `node --log-function-events` lists them. In
 * parentheses, V8 compiles them with what contains them. It would compile each of the others at its first call, which takes about 10 us.
 *
 * They become variables, not constants: each use of a constant in another function first checks that it has a value.
 */
const CALLED_AT_ONCE = {
  module:
    'bytesOfBlocks checkComplete checkLayout choose entryOn familyOn findAddon firstBudget inspectableMapClass isDue ' +
    'lastingSingleton loadAddon loadFile loadFrom makeNative nativeOrWasm nodeFields openKernel openLoopCore ' +
    'openMemory openRegistry openSliceBudget openWheel platformOn promisesOn publishOpen readAhead reserve settleLayout ' +
    'singleton stateOf timeoutMapClass timeoutsOn timerWheelClass timerWheelOn undeprecated unitOfRecord variable viewsOf',
  familyOn: 'clearTimeout openShared setTimeout sharedKernel',
  makeNative: 'open',
  openKernel: 'append end fresh move nextDue position run set unused',
  openLoopCore: 'hold readClock',
  openWheel: 'dispatch drainQueues runMore setBudget',
  platformOn: 'openLoop',
  timeoutsOn: 'callAndReport callBack expire kernelOfShared',
}

/** The code of a module or of the body of a function, with such functions at its start. @param name its key in CALLED_AT_ONCE */
function compiledAtOnce(path, code, name, { body, start, end }) {
  const names = CALLED_AT_ONCE[name]?.split(' ') ?? []
  const called = body.filter(({ type, id }) => type === 'FunctionDeclaration' && names.includes(id.name))
  const missing = names.filter((one) => !called.some(({ id }) => id.name === one))
  if (missing.length > 0) fail(`${path}: ${name} has no function ${missing.join(', ')}`)
  const variables = called.map((one) => {
    const inner = compiledAtOnce(path, code, one.id.name, one.body)
    return `var ${one.id.name}=(function${code.slice(one.id.end, one.body.start)}${inner});\n`
  })
  const first = body.find(({ type, directive }) => type !== 'ImportDeclaration' && !directive).start
  const rest = called.map((one, i) => code.slice(called[i - 1]?.end ?? first, one.start))
  const last = code.slice(called.at(-1)?.end ?? first, end)
  return code.slice(start, first) + variables.join('') + rest.join('') + last
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
  const isWhole = /choose-backend|node\.mjs$/.test(path)
  writeFileSync(file, isWhole ? compiledAtOnce(path, inLines, 'module', parseAst(inLines)) : inLines)
}
