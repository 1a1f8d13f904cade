/** The timed loops. Each returns milliseconds. A process runs them for one contender. */

export * from './amid.mjs'
export * from './distinct.mjs'
export * from './refresh.mjs'
export * from './set-clear.mjs'
