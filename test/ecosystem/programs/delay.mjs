/** Delayed promises, aborted or cleared. */
import delay, { clearDelay, createDelay, rangeDelay } from 'delay'
import { timers } from './hook.mjs'

const wait = timers === undefined ? delay : createDelay(timers)
wait(60, { value: 'third' }).then(console.log)
wait(30, { value: 'second' }).then(console.log)
wait(0, { value: 'first' }).then(console.log)
const cleared = wait(60_000, { value: 'cleared' })
setTimeout(() => clearDelay(cleared), 90)
console.log(await cleared)
await wait(60_000, { signal: AbortSignal.timeout(20) }).catch(({ name }) => console.log(name))
console.log(
  await (timers === undefined ? rangeDelay(10, 20, { value: 'range' }) : wait(15, { value: 'range' })),
)
