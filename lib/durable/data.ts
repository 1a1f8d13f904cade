/** The data of timers, as JSON. What JSON would change is refused. */
import type { Check } from './checks.js'
import { failType, failValue } from './common/errors.js'

const MOST_DATA = 2 ** 20
const KEPT = 'null, a boolean, a finite number, a string, an array or a plain object, which JSON keeps'

/** Null: there is none. */
export const checkData: Check<string | null> = (name, data) => {
  if (data === undefined) return null
  try {
    const text = JSON.stringify(data)
    checkKept(name, data)
    if (Buffer.byteLength(text) <= MOST_DATA) return text
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== undefined) throw cause
    failValue(name, 'a value that JSON.stringify can write', data, cause)
  }
  return failValue(name, `at most ${MOST_DATA} bytes of JSON`, data)
}

/** Refuses what JSON changes. Properties that are undefined are left out, and -0 is 0: both read the same. */
function checkKept(path: string, value: unknown): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  const isArray = Array.isArray(value)
  const prototype = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined
  // The prototype of plain objects, of this realm or another, has none itself.
  const isPlain = prototype === null || (prototype !== undefined && Object.getPrototypeOf(prototype) === null)
  if (!isArray && !isPlain) failType(path, KEPT, value)
  for (const [key, part] of isArray ? value.entries() : Object.entries(value as object))
    if (isArray || part !== undefined) checkKept(isArray ? `${path}[${key}]` : `${path}.${key}`, part)
}
