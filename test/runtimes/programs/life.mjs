/** Prints from timers in order. Timers without a reference do not keep the program alive, those with one do. */
import { setTimeout, TimerWheel } from 'timeout-wheel'

setTimeout(() => console.log('too late'), 60_000).unref()
new TimerWheel({ unref: true }).setTimeout(() => console.log('too late'), 60_000)
setTimeout(() => console.log('shared'), 20)
new TimerWheel().schedule(() => console.log('wheel'), 60)
console.log('start')
