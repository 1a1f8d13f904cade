/** The data of timers, as JSON. What JSON would change is refused. */
import type { Check } from './checks.js'
import { failType, failValue } from './common/errors.js'

const MOST_DATA = 2 ** 20
const KEPT = 'null, a boolean, a finite number, a string, an array or a plain object, which JSON keeps'

/** Null: there is none. */
export const checkData: Check<string | null> = (name, data) => {
  if (data === undefined) return null
  let text: string | undefined
  let changed: ReturnType<typeof findChanged>
  try {
    text = JSON.stringify(data)
    changed = findChanged(data)
  } catch (cause) {
    failValue(name, 'a value that JSON.stringify can write', data, cause)
  }
  const [path, part] = changed ?? []
  if (path !== undefined) failType(`${name}${path}`, KEPT, part)
  if (Buffer.byteLength(text!) > MOST_DATA) failValue(name, `at most ${MOST_DATA} bytes of JSON`, text)
  return text!
}

/** The first part of a value that JSON changes, and its path. Properties that are undefined are left out, and -0 is 0: both read the same. */
function findChanged(value: unknown): [path: string, part: unknown] | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return undefined
  if (typeof value !== 'object') return ['', value]
  const isArray = Array.isArray(value)
  const prototype = Object.getPrototypeOf(value)
  // The prototype of plain objects, of this realm or another, has none itself.
  if (!isArray && prototype !== null && Object.getPrototypeOf(prototype) !== null) return ['', value]
  for (const [key, part] of isArray ? value.entries() : Object.entries(value)) {
    const found = !isArray && part === undefined ? undefined : findChanged(part)
    if (found !== undefined) return [isArray ? `[${key}]${found[0]}` : `.${key}${found[0]}`, found[1]]
  }
  return undefined
}
