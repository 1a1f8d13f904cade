/** The entries that select a build of the core, for scripts that run as processes. */
export const ENTRIES = ['timeout-wheel/native', 'timeout-wheel/wasm'] as const

/** The outcome of a process that ended without an error. */
export const CLEAN = { code: 0, signal: null, stderr: '' }
