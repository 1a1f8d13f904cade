/** The suite `mutants`: puts faults into the code, and lists those that no test finds. */
import { sum } from '../../.tooling/counts.mjs'
import { fail } from '../../.tooling/step.mjs'
import { tryFaults } from './core.mjs'
import { mutateLib } from './lib.mjs'

const PARTS = { core: tryFaults, lib: mutateLib }
const USAGE = 'usage: npm test -- mutants [core [PART OF A NAME ...] | lib [--all | FILE ...]]'

/** @param {string[]} options @returns {Promise<import('../../.tooling/counts.mjs').Count>} */
export async function tryMutants([part, ...words]) {
  if (part === undefined) return sum(await tryFaults([]), await mutateLib([]))
  if (!Object.hasOwn(PARTS, part) || words.some((word) => word.startsWith('-') && word !== '--all'))
    fail(USAGE)
  return PARTS[part](words)
}
