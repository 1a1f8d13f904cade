/** The entries that select a build of the core, for scripts that run as processes. */
export const ENTRIES = ['timeout-wheel/native', 'timeout-wheel/wasm'] as const

/** Declares `promises` for a program whose `entry` is one of these or `node:timers`. */
export const PROMISES = `
  process.env.TIMEOUT_WHEEL_BACKEND = entry.split('/')[1]
  const { default: promises } = await import(entry === 'node:timers' ? 'node:timers/promises' : 'timeout-wheel/promises')
`

/** The outcome of a process that ended without an error. */
export const CLEAN = { code: 0, signal: null, stderr: '' }
