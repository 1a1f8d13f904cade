/** The signals that options take. */

/** The part of `AbortSignal` that this package uses. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The runtime's `AbortSignal` if the program is compiled with the runtime's types; otherwise {@link AbortSignalLike}. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : AbortSignalLike
