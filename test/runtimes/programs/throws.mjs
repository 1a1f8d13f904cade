/** The second of three timers throws. The handler hears of it, and the third timer runs. Prints what has happened, in no order. */
import process from 'node:process'
import { setTimeout } from 'timeout-wheel'

const happened = []
process.on('uncaughtException', ({ message }) => happened.push(`caught ${message}`))
setTimeout(() => happened.push('first'), 5)
setTimeout(() => {
  throw new Error('second')
}, 5)
setTimeout(() => happened.push('third'), 5)
process.on('exit', () => console.log(happened.sort().join('\n')))
