/** Replaces the timers of the runtime, and prints which of them are replaced: those whose timers the package counts. */
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { stats } from 'timeout-wheel'
import { register, unregister } from 'timeout-wheel/register'

const { setTimeout: before } = timers
async function isOurs(name, run) {
  const { scheduled } = stats()
  await run()
  console.log(`${name}: ${stats().scheduled > scheduled}`)
}
const called = (set) => new Promise((resolve) => set(resolve, 10))

console.log(`again: ${register()}`)
await isOurs('node:timers', () => called(timers.setTimeout))
await isOurs('node:timers/promises', () => promises.setTimeout(10))
await isOurs('global', () => called(setTimeout))
console.log(`left: ${unregister()}`)
console.log(`restored: ${timers.setTimeout !== before}`)
await isOurs('after', () => called(timers.setTimeout))
