/**
 * node child.mjs <part> <function> <subject> <options>: runs a function of parts/<part>.mjs with the timers of the subject, or with its
 * name if it is no contender, and sends the result. With `serve` as the function, each message names a function.
 */
import { findContender } from './contenders/index.mjs'

const [, , part, name, id, options] = process.argv
const functions = await import(`./parts/${part}.mjs`)
const subject = (await findContender(id)?.load()) ?? id

// The timers of some rivals do not keep a process alive.
process.channel.ref()
process.on('disconnect', () => process.exit())
if (name === 'serve') {
  // One function at a time: the next message comes after the answer.
  process.on('message', async (message) => {
    process.send((await functions[message.name](subject, message.options)) ?? null)
  })
} else {
  const result = await functions[name](subject, JSON.parse(options))
  // Without a result, the function has sent its own messages. Pending timers would keep the process alive.
  if (result !== undefined) process.send(result, () => process.exit())
}
