/** A queue: concurrency, priorities, a rate limit, and a time limit for each task. */
import PQueue from 'p-queue'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const queue = new PQueue({ concurrency: 2, timeout: 120 })
const add = (name, ms, options) =>
  queue
    .add(() => sleep(ms), options)
    .then(
      () => console.log('done', name),
      (error) => console.log(error.name, name),
    )
add('long', 300)
add('short', 30)
add('last', 30, { priority: -1 })
add('first', 30, { priority: 1 })
add('second', 30)
await queue.onIdle()

const limited = new PQueue({ interval: 80, intervalCap: 2 })
const began = performance.now()
const intervals = []
for (let i = 0; i < 6; i++) limited.add(() => intervals.push(Math.round((performance.now() - began) / 80)))
await limited.onIdle()
console.log(intervals.join())

const paused = new PQueue({ autoStart: false })
paused.add(() => console.log('started'))
setTimeout(() => paused.start(), 20)
await paused.onIdle()
