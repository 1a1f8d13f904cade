/**
 * node import.mjs <module>: sends the milliseconds until the module is imported, and until one of its timers is set. It is a program
 * of its own, so that nothing is imported before.
 */
const specifier = process.argv[2]
const start = performance.now()
const { setTimeout, clearTimeout } = await import(specifier)
const imported = performance.now()
if (setTimeout !== undefined) clearTimeout(setTimeout(() => {}, 1_000))
const set = performance.now()
process.send?.({ imported: imported - start, used: set - start })
process.disconnect?.()
