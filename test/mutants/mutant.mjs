/** Puts a named fault into a copy of the tree, and takes it out again. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'

/**
 * @typedef {object} Mutant
 * @property {string} name the mistake, as a person would make it
 * @property {string} file the file with the fault
 * @property {string} find a text that occurs exactly once there
 * @property {string} replace the text in its place
 * @property {string[]} [tests] options of Jest for a fault in lib, if the tests of its part do not find it, or only late
 */

/** @param {string} text */
function isTypeScript(text) {
  try {
    parseSync(text, { syntax: 'typescript', target: 'es2022' })
    return true
  } catch {
    return false
  }
}

/**
 * Lists the problems of mutants: names that occur twice, and texts that do not occur exactly once. If the source has
 * changed, the mutant has to follow it.
 *
 * @param {string} tree
 * @param {Mutant[]} mutants
 * @returns {string[]}
 */
export function misfits(tree, mutants) {
  const names = new Set()
  return mutants.flatMap(({ name, file, find, replace }) => {
    if (names.has(name)) return [`${name}: there are two of this name`]
    names.add(name)
    const source = readFileSync(join(tree, file), 'utf8')
    const found = source.split(find).length - 1
    if (found !== 1) return [`${name}: its text occurs ${found} times in ${file}, not once`]
    if (find === replace) return [`${name}: it changes nothing`]
    // A test would fail for it, and hide that the fault was never tried. The compiler reports this for C++.
    const mutated = source.replace(find, () => replace)
    return file.endsWith('.ts') && !isTypeScript(mutated) ? [`${name}: ${file} is no TypeScript then`] : []
  })
}

/**
 * Puts a mutant into the tree while `test` runs.
 *
 * @template T
 * @param {string} tree
 * @param {Mutant} mutant
 * @param {() => Promise<T>} test
 * @returns {Promise<T>}
 */
export async function withMutant(tree, { file, find, replace }, test) {
  const path = join(tree, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  try {
    return await test()
  } finally {
    writeFileSync(path, source)
  }
}
