/** The faults of core-faults.txt: reads them, and puts one into a copy of the tree. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = 'native/core'
const TABLE = 'test/mutants/core-faults.txt'
const MOST = 40

/** @typedef {{ name: string, file: string, changed: string }} Fault `changed`: the file with the fault */

/** The text of a function: a definition at the start of a line or in a class, up to the brace that ends it. */
function functionIn(source, name) {
  const start = String.raw`^( {0,2})(?!if|while|for|return|\})\S[^\n;{}()]*\b${name}\([^;{}]*\{`
  return source.match(new RegExp(String.raw`${start}(?:[^\n]*\}$|[^]*?\n\1\}$)`, 'm'))?.[0]
}

/** @param {string} tree @param {string} row @returns {Fault} */
function read(tree, row) {
  const [name, place, find, replace, ...rest] = row.split(/ +\|(?: |$)/)
  const [file, within, ...more] = place?.split(' ') ?? []
  if (replace === undefined || rest.length > 0 || within === undefined || more.length > 0)
    throw new Error('is not: name | file function | text | replacement')
  const source = readFileSync(join(tree, FOLDER, file), 'utf8')
  const body = functionIn(source, within)
  if (body === undefined) throw new Error(`${file} defines no function ${within}`)
  const found = body.split(find).length - 1
  if (found !== 1) throw new Error(`${within} in ${file} contains "${find}" ${found} times, not once`)
  if (find === replace) throw new Error('it changes nothing')
  const changed = source.replace(body, () => body.replace(find, () => replace))
  return { name, file: join(FOLDER, file), changed }
}

/** Reads the faults whose names contain one of `words`, or all. Every fault of the table must fit its source. */
export function readFaults(tree, words = []) {
  const rows = readFileSync(join(tree, TABLE), 'utf8').split('\n')
  const faults = []
  const problems = []
  for (const [i, row] of rows.entries()) {
    if (row === '' || row.startsWith('#')) continue
    try {
      faults.push(read(tree, row))
    } catch (error) {
      problems.push(`${TABLE}:${i + 1}: ${error.message}`)
    }
  }
  if (faults.length > MOST) problems.push(`${TABLE}: has ${faults.length} faults, and the limit is ${MOST}`)
  const isChosen = ({ name }) => words.length === 0 || words.some((word) => name.includes(word))
  return { faults: faults.filter(isChosen), problems }
}

/** Runs a test while the fault is in the tree. @template T @param {() => Promise<T>} test @returns {Promise<T>} */
export async function withFault(tree, { file, changed }, test) {
  const path = join(tree, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, changed)
  try {
    return await test()
  } finally {
    writeFileSync(path, source)
  }
}
