/** The property of `process` in which entry/old-node.ts leaves a function that loads Node's modules. */
export const BUILTINS = Symbol.for('timeout-wheel: modules of Node')
