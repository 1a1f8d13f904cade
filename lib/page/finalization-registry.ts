/**
 * The class of that name, which workerd lacks with compatibility dates before 2025-05-05. There the numbers of ids come back only
 * from wheels that were stopped. The build puts it in place of the global.
 */
const registry = /* @__PURE__ */ (() =>
  globalThis.FinalizationRegistry ??
  class {
    register(): void {}
  })()

export { registry as FinalizationRegistry }
