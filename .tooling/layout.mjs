/** Writes the constants of native/core/record.h and layout.h for JavaScript. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, root } from './step.mjs'

export const SOURCES = ['native/core/record.h', 'native/core/layout.h']
/** A constant, or a word of the control block: `kName = 1,  // JS: what it is`. */
const CONSTANT = /^(?:inline constexpr std::uint32_t | {2})k(\w+) = ([^;,]+)[;,](?: *\/\/ (f64)?)?/gm
const LIST = /kLayout =\s+ListOf\(([^)]*)\);/

/** `FirstStateWord` is `FIRST_STATE`: the suffix only tells C++ that the number is an offset. */
function nameOf(name) {
  const words = name.replace(/(?<=.)Word$/, '').split(/(?<=[a-z0-9])(?=[A-Z])/)
  return words.join('_').toUpperCase()
}

/** The text of a module with all constants, and with the list that is compared when a binary is loaded. */
export function layoutModule() {
  const text = SOURCES.map((path) => readFileSync(join(root, path), 'utf8')).join('')
  const values = new Map()
  const evaluate = (expression) => {
    const numbers = expression
      .replace(/sizeof\(Record\)/g, '16')
      .replace(/std::uint32_t\{([^{}]*)\}/g, '$1')
      .replace(/k[A-Z]\w*/g, (name) => values.get(name) ?? fail(`${name} is used before it is defined`))
    if (!/^[\s\dxa-f()+*/<-]+$/.test(numbers)) fail(`layout.h: ${expression} is no expression of numbers`)
    return new Function(`return ${numbers}`)()
  }
  const lines = []
  for (const [, name, expression, real] of text.matchAll(CONSTANT)) {
    const value = evaluate(expression)
    values.set(`k${name}`, value)
    // Reals are counted in steps of 8 bytes.
    lines.push(`export const ${nameOf(name)} = ${real ? value / 2 : value}\n`)
  }
  const list = text.match(LIST)?.[1].match(/\w+/g) ?? fail('layout.h has no kLayout')
  return `${lines.join('')}export const COMPARED = [${list.map(evaluate).join(', ')}]\n`
}
