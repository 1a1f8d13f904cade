/** The second of three timers throws. The handler hears of it, and the third timer runs. */
import process from 'node:process'
import { setTimeout } from 'timeout-wheel'

process.on('uncaughtException', ({ message }) => console.log(`caught ${message}`))
setTimeout(() => console.log('first'), 5)
setTimeout(() => {
  throw new Error('second')
}, 5)
setTimeout(() => console.log('third'), 5)
