/** What `util.inspect` shows of a handle: the fields of Node's, and not the memory of its wheel. */

/** `util.inspect`, as it hands itself to what is inspected. */
export type Inspect = (value: unknown, options: object) => string

const FIELDS = [
  '_idleTimeout',
  '_idlePrev',
  '_idleNext',
  '_idleStart',
  '_onTimeout',
  '_timerArgs',
  '_repeat',
  '_destroyed',
]

/** As Node shows its own: one level deep. The fields alone, where the runtime does not hand on its `inspect`. */
export function inspectTimeout(timeout: object, options: object, inspect: Inspect | undefined): unknown {
  const shown = Object.fromEntries(FIELDS.map((field) => [field, Reflect.get(timeout, field)]))
  return inspect === undefined
    ? shown
    : `Timeout ${inspect(shown, { ...options, depth: 0, customInspect: false })}`
}
