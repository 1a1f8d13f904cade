/** workerd lacks the class with old compatibility dates. */
import { afterEach, expect, it, jest } from '@jest/globals'

const native = globalThis.FinalizationRegistry
afterEach(() => {
  globalThis.FinalizationRegistry = native
})

async function registry(): Promise<unknown> {
  let found: unknown
  await jest.isolateModulesAsync(async () => {
    found = (await import('../../../lib/workerd/finalization-registry.js')).FinalizationRegistry
  })
  return found
}

it('is the class of the host, or else one that does nothing', async () => {
  expect(await registry()).toBe(native)
  Reflect.deleteProperty(globalThis, 'FinalizationRegistry')
  const Registry = (await registry()) as typeof native
  expect(new Registry(() => {}).register({}, 0)).toBe(undefined)
})
