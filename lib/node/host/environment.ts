/** Reads the package's own variables of the environment. */

interface DenoPermissions {
  querySync?(descriptor: { name: 'env'; variable: string }): { state: string } | undefined
}

/**
 * Returns the value of a variable; undefined if there is none or it is empty. Deno asks its user before a program may read a variable, or
 * throws. So there, a variable counts only if the program may read it already.
 */
export function variable(name: string): string | undefined {
  const { permissions } = (Reflect.get(globalThis, 'Deno') ?? {}) as { permissions?: DenoPermissions }
  const state = permissions?.querySync?.({ name: 'env', variable: name })?.state ?? 'granted'
  return (state === 'granted' && process.env[name]) || undefined
}
