/** The command of all benchmarks: `npm run bench -- [command or parts] [options]`. */

import { parts, partsOnRequest, shortParts } from './parts/index.mjs'
import { wrap } from './report/format.mjs'
import { UsageError } from './runner/options.mjs'

/**
 * @typedef {object} Command
 * @property {string} usage
 * @property {(args: string[]) => unknown} run
 */

const measure = () => import('./runner/measure.mjs')

/** @type {Record<string, { about: string, load: () => Promise<Command> }>} */
const commands = {
  full: {
    about:
      'all parts, or those named, with other packages, more turns and the figures to reach; half an hour',
    load: async () => (await measure()).longForm,
  },
  core: {
    about: 'the C++ core beside other designs of timers; ten minutes',
    load: () => import('./core/run.mjs'),
  },
  browser: {
    about: 'the timers of pages, in Chromium, Firefox and WebKitGTK',
    load: () => import('./browser/run.mjs'),
  },
  nodes: { about: 'parts of the long form on Node 24 and 26', load: () => import('./runner/nodes.mjs') },
  instructions: {
    about: 'the instructions of fixed programs over the core, counted by callgrind',
    load: () => import('./instructions/run.mjs'),
  },
  report: {
    about: 'two pages made from the results: for users, and for developers of this package',
    load: () => import('./report/run.mjs'),
  },
  docs: {
    about: 'the generated tables and charts of the documents',
    load: () => import('./report/docs.mjs'),
  },
}

/** @param {{ name: string }[]} some */
const namesOf = (some) => wrap(some.map(({ name }) => name).join(', ')).join('\n  ')

const everyPart = [...parts, ...partsOnRequest]

const usage = `npm run bench -- [part ...] [options]       the short form; 4 minutes
npm run bench -- COMMAND [part ...] [options]

Commands:
${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(14)}${about}`)
  .join('\n')}

Parts of the short form:
  ${namesOf(shortParts)}
Other parts:
  ${namesOf(everyPart.filter((part) => !shortParts.includes(part)))}
Options of a command: npm run bench -- COMMAND --help; of the short form: npm run bench -- full --help`

/**
 * @param {string[]} words
 * @returns {Promise<[Command, string[]]>}  The command and its arguments.
 */
async function readCommand([first, ...others]) {
  if (first !== undefined && Object.hasOwn(commands, first)) return [await commands[first].load(), others]
  const isPart = everyPart.some(({ name }) => name === first)
  if (first !== undefined && !first.startsWith('-') && !isPart) {
    throw new UsageError(`there is no command or part '${first}'\n\n${usage}`)
  }
  const { shortForm } = await measure()
  return [shortForm, first === undefined ? [] : [first, ...others]]
}

/** @param {string[]} words */
async function run(words) {
  const asksForHelp = (/** @type {string} */ word) => word === '--help' || word === '-h'
  if (words[0] !== undefined && asksForHelp(words[0])) return console.log(usage)
  const [command, args] = await readCommand(words)
  if (args.some(asksForHelp)) return console.log(command.usage)
  try {
    await command.run(args)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${error.message}\n\n${command.usage}`)
  }
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
