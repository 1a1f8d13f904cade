/** Time limits for promises. */
import pTimeout from 'p-timeout'
import { timers } from './hook.mjs'

const hook = timers === undefined ? {} : { customTimers: timers }
const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value))

console.log(await pTimeout(later(20, 'in time'), { milliseconds: 60_000, ...hook }))
await pTimeout(later(120), { milliseconds: 40, ...hook }).catch(({ name, message }) =>
  console.log(name, message),
)
console.log(await pTimeout(later(120), { milliseconds: 40, fallback: () => 'instead', ...hook }))
console.log(await pTimeout(later(120), { milliseconds: 40, message: false, ...hook }))
const unlimited = pTimeout(later(80, 'without a limit'), { milliseconds: 20, ...hook })
unlimited.clear()
console.log(await unlimited)
const signal = AbortSignal.timeout(30)
await pTimeout(later(120), { milliseconds: 60_000, signal, ...hook }).catch(({ name }) => console.log(name))
