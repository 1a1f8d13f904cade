/** The command of all benchmarks: `npm run bench -- [command] [part ...] [options]`. */
import * as measure from './runner/measure.mjs'
import { UsageError } from './runner/options.mjs'

const commands = { report: () => import('./report/pages.mjs'), docs: () => import('./report/docs.mjs') }

const args = process.argv.slice(2)
const { usage, run } = Object.hasOwn(commands, args[0]) ? await commands[args.shift()]() : measure
if (args.includes('--help') || args.includes('-h')) console.log(usage)
else {
  try {
    await run(args)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${usage}`)
    process.exitCode = 1
  }
}
