/**
 * Lets Stryker change operators, conditions and texts of files of lib, one at a time, and lists the changes that no test finds. Unlike
 * a fault of the core, such a change can leave the behaviour as it was. So it does not fail the run.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from '../../.tooling/child.cjs'
import { nodeOfLine } from '../../.tooling/runtimes.mjs'
import { fail, filesUnder, mustRun, outputOf, root, say } from '../../.tooling/step.mjs'
import { COMMAND, HOME, install, NODE_LINE, optionsOf, REPORT } from './stryker.mjs'
import { copyTree, tree } from './tree.mjs'

const LIMIT = 24 * 3_600_000

const isMutable = (file) => /^lib\/(?!generated\/).*\.ts$/.test(file) && existsSync(join(root, file))

/** The files of lib that differ from main: committed, uncommitted and new ones. @returns {Promise<string[]>} */
async function changedFiles() {
  const refs = (await outputOf('git', ['for-each-ref', '--format=%(refname:short)'])).split('\n')
  const main = ['origin/main', 'main'].find((name) => refs.includes(name))
  if (main === undefined) fail('there is no branch origin/main or main to compare with: name files of lib')
  const base = (await outputOf('git', ['merge-base', 'HEAD', main])).trim()
  const changed = await outputOf('git', ['diff', '--name-only', base, '--', 'lib'])
  const added = await outputOf('git', ['ls-files', '--others', '--exclude-standard', '--', 'lib'])
  return `${changed}${added}`.split('\n')
}

/** @param {string[]} paths files and folders */
function filesOf(paths) {
  const files = filesUnder(...paths).map((file) => relative(root, file))
  const missing = paths.filter((path) => !files.some((file) => isMutable(file) && file.startsWith(path)))
  if (missing.length > 0) fail(`not a file or folder of lib: ${missing.join(', ')}`)
  return files
}

/** @param {string[]} files */
async function runStryker(files) {
  await install()
  const node = await nodeOfLine(NODE_LINE)
  await mustRun(process.execPath, ['.tooling/build.mjs'], { quiet: true })
  copyTree()
  rmSync(REPORT, { force: true })
  const options = join(HOME, 'options.json')
  writeFileSync(options, JSON.stringify(optionsOf(files)))
  const { code } = await run(node, [COMMAND, 'run', options], {
    cwd: tree,
    // Random tests have their seed in their titles. Stryker takes a test with another title for a new one.
    env: { ...process.env, TIMEOUT_WHEEL_SEED: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
    limit: LIMIT,
  })
  if (code !== 0 || !existsSync(REPORT)) fail(`Stryker failed (exit code ${code})`)
  return JSON.parse(readFileSync(REPORT, 'utf8')).files
}

const count = ({ mutants }, ...states) => mutants.filter(({ status }) => states.includes(status)).length

/** @param {string[]} words `--all`, or files and folders of lib; none for the files that differ from main @returns {Promise<import('../../.tooling/counts.mjs').Count>} */
export async function mutateLib(words) {
  const all = words.length === 1 && words[0] === '--all'
  const paths = all ? ['lib'] : words
  const files = (paths.length === 0 ? await changedFiles() : filesOf(paths)).filter(isMutable)
  say(`\nlib: ${files.length} files${paths.length === 0 ? ' differ from main' : ''}`)
  if (files.length === 0) return { passed: 0, failed: 0 }
  const reports = await runStryker(files)
  const results = files.flatMap((file) => reports[file] ?? [])
  const found = results.reduce((sum, one) => sum + count(one, 'Killed', 'Timeout'), 0)
  const survived = results.reduce((sum, one) => sum + count(one, 'Survived', 'NoCoverage'), 0)
  say(`\nlib: ${found} changes found, ${survived} survived`)
  return { passed: found, failed: 0 }
}
