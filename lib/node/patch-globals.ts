/** Puts values in the place of properties, and later what was there back. */

/** A property that is to have another value. */
export interface Patch {
  readonly target: object
  readonly key: string
  readonly value: unknown
  /** What reports call the property. */
  readonly name: string
}

interface Replaced extends Patch {
  /** What was there; undefined: nothing. */
  readonly former: PropertyDescriptor | undefined
}

/** What has been replaced in a realm. Plain data: another version of the package may find it there. */
interface Record {
  active: boolean
  /** Oldest first. After an `unpatch` those that others had replaced since. */
  readonly replaced: Replaced[]
}

const recordSymbol = Symbol.for('timeout-wheel.registration')

/** The one record of a realm, whichever copy of the package asks. */
function recordOf(realm: object): Record {
  const known = Reflect.get(realm, recordSymbol) as Record | undefined
  if (known !== undefined) return known
  const record: Record = { active: false, replaced: [] }
  Object.defineProperty(realm, recordSymbol, { value: record })
  return record
}

const hasValue = ({ target, key, value }: Patch): boolean =>
  Object.getOwnPropertyDescriptor(target, key)?.value === value

function replace(patch: Patch): Replaced {
  const { target, key, value } = patch
  const former = Object.getOwnPropertyDescriptor(target, key)
  const { writable = true, enumerable = true, configurable = true } = former ?? {}
  Object.defineProperty(target, key, { value, writable, enumerable, configurable })
  return { ...patch, former }
}

function putBack({ target, key, former }: Replaced): void {
  if (former === undefined) Reflect.deleteProperty(target, key)
  else Object.defineProperty(target, key, former)
}

/** Whether something is replaced now. */
export function isPatched(realm: object): boolean {
  return recordOf(realm).active
}

/**
 * Replaces all of them, or none: where one cannot be, what was done is undone.
 *
 * @returns false: that was done before, by this or another copy of the package, and nothing has changed now
 * @throws TypeError where a property cannot be changed
 */
export function patch(realm: object, patches: readonly Patch[]): boolean {
  const record = recordOf(realm)
  if (record.active) return false
  record.active = true
  try {
    for (const one of patches) if (!hasValue(one)) record.replaced.push(replace(one))
  } catch (error) {
    unpatch(realm)
    throw error
  }
  return true
}

/**
 * Puts back exactly what was there, the last replaced first. A property that somebody else has replaced since is left as
 * it is, and tried again by the next call.
 *
 * @returns the names of those left
 */
export function unpatch(realm: object): string[] {
  const record = recordOf(realm)
  record.active = false
  const left: Replaced[] = []
  for (const one of record.replaced.splice(0).reverse()) {
    if (hasValue(one)) putBack(one)
    else left.unshift(one)
  }
  record.replaced.push(...left)
  return left.map(({ name }) => name)
}
