/** Reads command lines. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** A mistake in the command line. The message is printed with the usage, without a stack. */
export class UsageError extends Error {}

export function readOptions(args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error.message)
  }
}

export function readCount(text, name) {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new UsageError(`--${name} must be a whole number above 0, got ${text}`)
}

export const toFolderUrl = (folder) => pathToFileURL(`${path.resolve(folder)}/`)
