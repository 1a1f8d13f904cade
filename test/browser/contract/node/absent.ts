/** What the specifications import and only those tests use that are left out in a page. */
const absent = (): never => {
  throw new Error(
    'a page has nothing of the kind: the test that needs it belongs on the list of left-out.mjs',
  )
}
export const run = absent
export const inspect = absent
export const nextTick = absent
export const executionAsyncId = absent
export class AsyncLocalStorage {
  run = absent
  getStore = absent
  enterWith = absent
}
