/**
 * Runs a bundle in the edge host of Next.js, in which `MessageChannel` throws. Next.js adds it to the host like this.
 *
 *   node edge.cjs PACKAGE BUNDLE    the edge host's package, and a bundle that calls `respond`
 */
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
