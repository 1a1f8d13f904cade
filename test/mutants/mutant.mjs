/** A named fault, and how it is put into a copy of the tree and taken out again. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Mutant
 * @property {string} name what a person forgot or confused
 * @property {string} file the file that has it
 * @property {string} find a text that occurs exactly once there
 * @property {string} replace what stands in its place
 * @property {string[]} [tests] of a fault in lib: what looks for it, where the tests of its part do not, or only among much else
 */

/**
 * Says what is wrong with a list of mutants: names used twice, and texts that do not occur exactly once. The source has
 * changed then, and the mutant has to follow it.
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
    const found = readFileSync(join(tree, file), 'utf8').split(find).length - 1
    if (found !== 1) return [`${name}: its text occurs ${found} times in ${file}, not once`]
    return find === replace ? [`${name}: it changes nothing`] : []
  })
}

/**
 * Puts a mutant into the tree for as long as `test` runs.
 *
 * @template T
 * @param {string} tree
 * @param {Mutant} mutant
 * @param {() => T} test
 * @returns {T}
 */
export function withMutant(tree, { file, find, replace }, test) {
  const path = join(tree, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  try {
    return test()
  } finally {
    writeFileSync(path, source)
  }
}
