/** `node edge.cjs PACKAGE BUNDLE` runs a bundle in the edge host of Next.js, which adds such a `MessageChannel` to the host. */
const { readFileSync } = require('node:fs')

const [, , from, bundle] = process.argv
const { EdgeVM } = require(from)

class MessageChannel {
  constructor() {
    throw new Error('A Node.js API is used (MessageChannel) which is not supported in the Edge Runtime.')
  }
}

/** @param {string} line */
const print = (line) => console.log(line)
const host = new EdgeVM({ extend: (context) => Object.assign(context, { MessageChannel, print }) })
process.on('unhandledRejection', (error) => print(`unhandled: ${/** @type {Error} */ (error).message}`))
host.evaluate(readFileSync(bundle, 'utf8'))
