/** Reads command lines. */

import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** A mistake in the command line. The message is printed with the usage, without a stack. */
export class UsageError extends Error {}

/**
 * @param {string[]} args
 * @param {import('node:util').ParseArgsConfig['options']} options
 * @param {{ takesParts?: boolean }} [how]  Whether words without dashes, such as names of parts, may be given.
 * @returns {{ values: any, positionals: string[] }}
 */
export function readOptions(args, options, { takesParts = false } = {}) {
  try {
    return parseArgs({ args, options, allowPositionals: takesParts })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * @param {string | undefined} text
 * @param {string} name
 * @returns {number | undefined}  undefined if the option is not given
 */
export function readCount(text, name) {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new UsageError(`--${name} must be a whole number above 0, got ${text}`)
}

/**
 * @template {{ name: string }} T
 * @param {T[]} all
 * @param {string[]} names
 * @returns {T[]}  those that are named, in the order of `all`
 */
export function chooseParts(all, names) {
  const unknown = names.find((name) => !all.some((part) => part.name === name))
  if (unknown !== undefined) {
    throw new UsageError(`there is no part '${unknown}': ${all.map(({ name }) => name).join(', ')}`)
  }
  return all.filter(({ name }) => names.includes(name))
}

/** @param {string} folder  Relative to the working directory. */
export const toFolderUrl = (folder) => pathToFileURL(`${path.resolve(folder)}/`)
