/** The output of `util.inspect` for a handle: the fields of Node's handles, without the memory of the wheel. */

/** `util.inspect`, which passes itself to the inspected object. */
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

/** Shows a handle one level deep, as Node does. Returns the fields if the runtime does not pass its `inspect`. */
export function inspectTimeout(timeout: object, options: object, inspect: Inspect | undefined): unknown {
  const shown = Object.fromEntries(FIELDS.map((field) => [field, Reflect.get(timeout, field)]))
  return inspect === undefined
    ? shown
    : `Timeout ${inspect(shown, { ...options, depth: 0, customInspect: false })}`
}
