/**
 * The class of that name. React Native's engine Hermes lacks it in many versions, and workerd with compatibility dates before 2025-05-05.
 * There the numbers of ids come back only from wheels that were stopped. The build puts it instead of the global.
 */
const registry = /* @__PURE__ */ (() =>
  globalThis.FinalizationRegistry ??
  class {
    register(): void {}
  })()

export { registry as FinalizationRegistry }
