/** The entries that run a certain build of the core, for scripts in processes of their own. */
export const ENTRIES = ['timeout-wheel/native', 'timeout-wheel/wasm'] as const

/** What a process leaves behind that has ended well. */
export const CLEAN = { code: 0, signal: null, stderr: '' }
