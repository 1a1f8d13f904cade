/** Each code sample of README.md and docs/*.md runs as it is copied, or its document says why it does not. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { run as runProgram } from '../../.tooling/child.cjs'
import { bin, name, scripts } from '../../package.json'
import { virtualClock } from '../differential/clock.js'
import { compile } from '../types/compile.js'
import { documents, root, type Sample, samplesOf } from './samples.js'

// Within the package, so that its name resolves to it.
const folder = join(root, 'build/samples')
mkdirSync(folder, { recursive: true })

// The API reference has signatures alone.
const samples = documents.filter((document) => document !== 'docs/api.md').flatMap(samplesOf)

/** Whether it is no text in another language: types of the API, pictures, output. */
const isCode = ({ language }: Sample): boolean => ['js', 'ts', 'sh'].includes(language)
const isRun = (sample: Sample): boolean => isCode(sample) && sample.notRun === undefined
const titleOf = ({ document, line }: Sample): string => `${document}:${line}`
const withTitles = (some: Sample[]) => some.map((sample) => [titleOf(sample), sample] as const)

/** Writes a file for a sample, and returns its path. */
function write(sample: Sample, extension: string, text: string): string {
  const file = join(folder, `${titleOf(sample).replace(/\W/g, '-')}.${extension}`)
  writeFileSync(file, text)
  return file
}

async function run(program: string, args: string[], more: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, ...more }
  for (const name of ['NODE_OPTIONS', 'NODE_TEST_CONTEXT', 'TIMEOUT_WHEEL_BACKEND', 'TIMEOUT_WHEEL_BUDGET']) {
    delete env[name]
  }
  const outcome = await runProgram(program, args, { cwd: folder, env, limit: 30_000 })
  if (outcome.code !== 0) throw new Error(`${program} ended with ${outcome.code}:\n${outcome.stderr}`)
  return outcome
}

function optionsOf(kind: string): string[] {
  if (kind === 'plain') return []
  if (kind === 'browser') return ['--conditions=browser']
  return ['--import', pathToFileURL(join(__dirname, `${kind}.mjs`)).href]
}

/** The modules that play in virtual time, because the samples wait for minutes. */
const inVirtualTime = ['ws', 'sessions']

/** The lines that `console.log(...) // text` promises, each with its alternatives: `// 'a' or 'b': a remark`. */
function promisedLines(code: string): string[][] {
  return [...code.matchAll(/console\.log\(.*\).* \/\/ (.+)$/gm)].map(([, text]) =>
    text!
      .replace(/: .*/, '')
      .split(' or ')
      .map((alternative) => alternative.replace(/^'(.*)'$/, '$1')),
  )
}

function expectLines(stdout: string, promised: string[][]): void {
  const lines = stdout.split('\n')
  let from = 0
  for (const alternatives of promised) {
    const found = lines.findIndex((line, i) => i >= from && alternatives.includes(line))
    if (found === -1) throw new Error(`the sample does not print ${alternatives.join(' or ')}:\n${stdout}`)
    from = found + 1
  }
}

async function runModule(sample: Sample, code: string): Promise<void> {
  // Node 20 calls mock.timers experimental.
  const quiet = '--disable-warning=ExperimentalWarning'
  const options = [quiet, ...optionsOf(sample.kind), write(sample, 'mjs', code)]
  const clock = inVirtualTime.includes(sample.kind) ? virtualClock() : {}
  const { stdout, stderr } = await run(process.execPath, options, clock)
  expect(stderr).toBe('')
  expectLines(stdout, promisedLines(code))
}

const withoutTypes = (code: string): string =>
  ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  }).outputText

function commandsOf({ code }: Sample): string[] {
  return code.split('\n').flatMap((line) => {
    const command = line.replace(/ *#.*/, '').trim()
    return command === '' ? [] : command.split(' && ')
  })
}

/** The program of the commands: says whether its timers are ours, and on which backend they run. */
const APP = `
import { backend, setTimeout as ours } from 'timeout-wheel'
console.log(setTimeout === ours)
console.log(backend)
setTimeout(() => console.log('ran'), 5)
`
writeFileSync(join(folder, 'app.js'), APP)

/** Commands of npm are not run, but there must be such scripts. */
function expectKnownCommand(command: string): void {
  const [program, verb, script] = command.split(' ')
  if (program === 'npx') expect(Object.keys(bin)).toContain(verb)
  else if (program === 'npm' && verb === 'run') expect(Object.keys(scripts)).toContain(script)
  else if (program === 'npm' && verb === 'install' && script !== undefined) expect(script).toBe(name)
  else if (program === 'npm') expect([...Object.keys(scripts), 'ci', 'install']).toContain(verb)
}

it.each(withTitles(samples.filter((sample) => isCode(sample) && !isRun(sample))))(
  '%s says why it is not run, and names commands that there are',
  (_title, sample) => {
    expect(sample.notRun!.length).toBeGreaterThan(10)
    if (sample.language === 'sh') commandsOf(sample).forEach(expectKnownCommand)
  },
)

it.concurrent.each(withTitles(samples.filter(isRun)))('%s runs as it is copied', async (_title, sample) => {
  if (sample.language === 'js') return runModule(sample, sample.code)
  if (sample.language === 'ts') return runModule(sample, withoutTypes(sample.code))
  for (const command of commandsOf(sample)) {
    if (!/(^|\s)node .*app\.js$/.test(command)) throw new Error(`not run, without a reason: ${command}`)
    const expected = [/register/.test(command), /BACKEND=wasm/.test(command) ? 'wasm' : 'native', 'ran']
    const { stdout, stderr } = await run('sh', ['-c', command])
    expect({ stdout, stderr }).toEqual({ stdout: `${expected.join('\n')}\n`, stderr: '' })
  }
})

it('has samples in TypeScript that fit the types that the package publishes', async () => {
  const some = samples.filter((sample) => isRun(sample) && sample.language === 'ts')
  const files = some.map((sample) => write(sample, 'mts', sample.code))
  const options = '--strict --module nodenext --target es2022 --skipLibCheck --types node'.split(' ')
  const words = [...options, '--typeRoots', join(root, 'node_modules/@types'), ...files]
  const [compiled] = await compile(folder, [words], 'typescript')
  expect([files.length > 0, compiled!.problems]).toEqual([true, ''])
})
