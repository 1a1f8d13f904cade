/** The command of all benchmarks: `npm run bench -- [command] [part ...] [options]`. */
import { measure, usage } from './runner/measure.mjs'
import { UsageError } from './runner/options.mjs'

const commands = { report: () => import('./report/pages.mjs'), docs: () => import('./report/docs.mjs') }

async function run([first, ...others]) {
  const isCommand = first !== undefined && Object.hasOwn(commands, first)
  const command = isCommand ? await commands[first]() : { usage, run: measure }
  const args = isCommand || first === undefined ? others : [first, ...others]
  if (args.includes('--help') || args.includes('-h')) return console.log(command.usage)
  try {
    await command.run(args)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${command.usage}`)
    process.exitCode = 1
  }
}

await run(process.argv.slice(2))
