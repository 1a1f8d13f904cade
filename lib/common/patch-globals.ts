/** Replaces properties of global objects, and restores them later. */

/** A property and its new value. */
export interface Patch {
  readonly target: object
  readonly key: string
  readonly value: unknown
  /** The property's name in reports. */
  readonly name: string
}

/** @param targetName the name of the object in reports */
export function patchesOf(target: object, targetName: string, values: Record<string, unknown>): Patch[] {
  return Object.entries(values).map(([key, value]) => ({ target, key, value, name: `${targetName}.${key}` }))
}

interface Replaced extends Patch {
  /** The former property; undefined if there was none. */
  readonly former: PropertyDescriptor | undefined
}

/** The replaced properties of a realm. Plain data, because another version of the package can read it. */
interface Registration {
  active: boolean
  /** Oldest first. After `unpatch`: those that other code had replaced since. */
  replaced: Replaced[]
}

const recordSymbol = Symbol.for('timeout-wheel.registration')

/** The record of a realm, which all copies of the package share. */
function recordOf(realm: object): Registration {
  const known = Reflect.get(realm, recordSymbol) as Registration | undefined
  if (known !== undefined) return known
  const record: Registration = { active: false, replaced: [] }
  Object.defineProperty(realm, recordSymbol, { value: record })
  return record
}

/** Whether the timers of a realm are those of the package. */
export const isPatched = (realm: object): boolean =>
  (Reflect.get(realm, recordSymbol) as Registration | undefined)?.active === true

const hasValue = ({ target, key, value }: Patch): boolean =>
  Object.getOwnPropertyDescriptor(target, key)?.value === value

const FAKED =
  'timeout-wheel/register has replaced nothing, because a test tool has replaced timers: load register before the tool begins'

/** Marks of test tools on a function: of `@sinonjs/fake-timers`, and of Jest and Vitest. */
interface Marked {
  readonly clock?: unknown
  readonly _isMockFunction?: boolean
}

/** Whether a function is one of `mock.timers` of `node:test`. It binds its functions, whose names are private. */
export const isNodeMock = (fn: unknown): boolean => typeof fn === 'function' && fn.name.startsWith('bound #')

/** Whether a test tool has replaced one of the timers of a realm. */
function isFaked(realm: Partial<Record<string, Marked>>): boolean {
  return ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'].some((key) => {
    const { clock, _isMockFunction } = realm[key] ?? {}
    return clock !== undefined || _isMockFunction === true || isNodeMock(realm[key])
  })
}

function replace(patch: Patch, replaced: Replaced[]): void {
  const { target, key, value } = patch
  const former = Object.getOwnPropertyDescriptor(target, key)
  const { writable = true, enumerable = true, configurable = true } = former ?? {}
  const entry = { ...patch, former }
  Object.defineProperty(target, key, { value, writable, enumerable, configurable })
  replaced[replaced.length] = entry
}

/** Whether other code has restored the former property. */
const isFormer = ({ target, key, former }: Replaced): boolean =>
  Object.getOwnPropertyDescriptor(target, key)?.value === former?.value

function putBack(one: Replaced): void {
  const { target, key, former } = one
  if (former === undefined) Reflect.deleteProperty(target, key)
  else Object.defineProperty(target, key, former)
}

/**
 * Replaces all properties, or none if one cannot be replaced. It replaces none, and warns, while a test tool has replaced the timers:
 * those of the program would not move with the tool, and the tool would undo the replacement when it ends.
 *
 * @returns false if they were replaced before, by this or another copy of the package, or by a tool. Then nothing has changed
 * @throws TypeError if a property cannot be changed
 */
export function patch(realm: object, patches: readonly Patch[], warn: (message: string) => void): boolean {
  const record = recordOf(realm)
  if (record.active) return false
  if (isFaked(realm)) {
    warn(FAKED)
    return false
  }
  record.active = true
  try {
    for (const one of patches) if (!hasValue(one)) replace(one, record.replaced)
  } catch (error) {
    unpatch(realm)
    throw error
  }
  return true
}

/**
 * Restores the exact former properties, the last first. Those that other code has replaced since stay for the next call.
 *
 * @returns the names of the properties that stay
 */
export function unpatch(realm: object): string[] {
  const record = recordOf(realm)
  record.active = false
  for (const one of [...record.replaced].reverse()) if (hasValue(one)) putBack(one)
  record.replaced = record.replaced.filter((one) => !isFormer(one))
  return record.replaced.map(({ name }) => name)
}
