/**
 * node import.mjs <module>: sends the milliseconds until the module is imported, and until one of its timers is set. Not by
 * `performance`, for which Node loads eleven modules that the module may need too.
 */
const specifier = process.argv[2]
const now = () => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}
const start = now()
const { setTimeout, clearTimeout } = await import(specifier)
const imported = now()
if (setTimeout !== undefined) clearTimeout(setTimeout(() => {}, 1_000))
const set = now()
process.send?.({ imported: imported - start, used: set - start })
process.disconnect?.()
