/** The functions of `timers/promises` do what those of Node do, on both builds. */
import { eachLikeNativeInOne } from './like-native.js'
import { ABORTED, WITH_PROMISES } from './promise-prelude.js'

eachLikeNativeInOne(
  `
  # setTimeout fulfils with its value or undefined, follows a promise, and treats delays out of range as 1 ms
  -> ,,,inner,Error: inner,0,-5,0.5,NaN,2147483648,Infinity
  const inner = [Promise.resolve('inner'), Promise.reject(new Error('inner'))]
  inner[1].catch(() => {})
  const waits = [wait(), wait(1), wait(undefined, undefined, {}), ...inner.map((value) => wait(1, value))]
  for (const delay of [0, -5, 0.5, NaN, 2 ** 31, Infinity]) waits.push(wait(delay, delay))
  const ends = await Promise.allSettled(waits)
  log(ends.map(({ reason, value }) => reason ?? value).join())
  # setTimeout runs in one order with callback timers -> callback 1,promise 1,callback 2,promise 2
  const order = []
  setTimeout(() => order.push('callback 1'), 10)
  const first = wait(10).then(() => order.push('promise 1'))
  setTimeout(() => order.push('callback 2'), 10)
  await Promise.all([first, wait(10).then(() => order.push('promise 2'))])
  log(order.join())
  # setTimeout rejects all values but numbers as a delay, before it looks at the options
  for (const value of VALUES) if (typeof value !== 'number') show(await outcome(() => wait(value, 0, { signal: 1 })))
  # setInterval yields what its value resolves to, again and again -> value,value,value
  const values = []
  for await (const value of ticks(2, Promise.resolve('value'))) if (values.push(value) === 3) break
  log(values.join())
  # setInterval yields values later that came due while no next() was called -> true
  const iterator = ticks(5, 'value')
  await iterator.next()
  await wait(100)
  // All within one turn of the event loop, so none of them can be a new one.
  let [backlog, turned] = [0, false]
  setImmediate(() => { turned = true })
  for (; !turned; backlog++) await iterator.next()
  await iterator.return()
  log(backlog > 3 && backlog <= 22)
  # setInterval resolves calls of next() that were made early, in order -> false value,false value,false value,true undefined
  const iterator = ticks(3, 'value')
  const ends = await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.return()])
  log(ends.map(({ done, value }) => done + ' ' + value).join())
  # setInterval ends at return(), and at throw() with that error -> true,true,Error: thrown in,true
  const [first, second] = [ticks(1, 'value'), ticks(1, 'value')]
  await Promise.all([first.next(), second.next()])
  const calls = [first.return(), first.next(), second.throw(new Error('thrown in')), second.next()]
  log((await Promise.allSettled(calls)).map(({ reason, value }) => reason ?? value.done).join())
  # setInterval starts at the first call of next() -> 0,1,0
  const { signal } = new AbortController()
  const iterator = ticks(1, 'value', { signal })
  const counts = [listenersOf(signal)]
  const next = iterator.next()
  counts.push(listenersOf(signal))
  await next
  await iterator.return()
  log([...counts, listenersOf(signal)].join())
  # setInterval validates its arguments
  show(await outcome(() => ticks('1').next()))
  # setInterval yields values that came due before the abort, then rejects and is over
  -> value | ${ABORTED} | true true
  const controller = new AbortController()
  const iterator = ticks(2, 'value', { signal: controller.signal })
  await iterator.next()
  await wait(20)
  controller.abort('why')
  log((await iterator.next()).value)
  let values = 0
  const loop = async () => { for await (const _ of iterator) values++ }
  log(await abortOf(loop(), 'why'))
  log(values < 12, (await iterator.next()).done)
  # setImmediate is Node's own function, which util.promisify(setImmediate) returns too -> true
  log(immediate === promisify(setImmediate))
  # all have the same shape
  for (const fn of [wait, immediate, ticks, scheduler.wait, scheduler.yield]) log(fn.name, fn.length, String(Object.prototype.toString.call(fn)))
  log(Object.prototype.toString.call(ticks()))`,
  `${WITH_PROMISES}import { promisify } from 'node:util'`,
)
