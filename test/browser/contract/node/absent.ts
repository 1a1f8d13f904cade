/** Replaces imports that only omitted tests use. */
const absent = (): never => {
  throw new Error('pages lack this function of Node: list its test in test/browser/contract/left-out.mjs')
}
export const nextTick = absent
export class AsyncLocalStorage {
  run = absent
  getStore = absent
  enterWith = absent
}
