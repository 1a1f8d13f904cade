/**
 * Builds and runs the tests, suite by suite: the default suites, or the named ones in their order. The last line is `N passed, N failed`. If
 * the run is interrupted or takes too long, it ends everything that it started, and says where it stood. `npm test -- help` prints the usage,
 * suites.mjs has the suites, and docs/contributing/testing.md says more.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { REPORTS, sum } from './counts.mjs'
import { openRunFolder } from './prepare.mjs'
import { stopServers } from './servers.mjs'
import { fail, root, say } from './step.mjs'
import { QUICK, SUITES, suitesOfPart } from './suites.mjs'

/** Where the runner of Jest notes the files that run. */
const RUNNING = join(root, REPORTS, 'running')

function usage() {
  const suites = Object.entries(SUITES).map(
    ([name, { about, isDefault }]) => `  ${isDefault ? '*' : ' '} ${name.padEnd(16)}  ${about}`,
  )
  const notes = `* runs if no suite is named\n  quick: ${QUICK.join(', ')}`
  const commands = 'usage: npm test -- [SUITE ...]\n       npm run test:all -- [--part=N/PARTS]'
  return `${commands}\n\n${suites.join('\n')}\n\n${notes}`
}

/** @param {string[]} words @returns {{ names: string[], options?: string[] }} the suites to run, and the options of the last one */
function parse(words) {
  if (words.length === 0) return { names: Object.keys(SUITES).filter((name) => SUITES[name].isDefault) }
  if (words[0] === '--all') {
    const [, part, parts] = (words[1] ?? '--part=1/1').match(/^--part=(\d)\/(\d)$/)?.map(Number) ?? []
    if (words.length > 2 || !(part >= 1 && part <= parts)) fail(usage())
    return { names: suitesOfPart(part, parts) }
  }
  const end = words.findIndex((name) => SUITES[name]?.takesOptions) + 1 || words.length
  const names = words.slice(0, end).flatMap((name) => (name === 'quick' ? QUICK : [name]))
  if (!names.every((name) => Object.hasOwn(SUITES, name))) fail(usage())
  return { names, options: words.slice(end) }
}

/** The test file that a process of Jest has noted, unless the file or the process has ended. */
function fileOf(id) {
  try {
    process.kill(Number(id), 0)
    return [readFileSync(join(RUNNING, id), 'utf8')]
  } catch {
    return []
  }
}

/** Repeats the failed tests that may be repeated. @returns {Promise<string[]>} the names of those that pass alone */
async function repeatFailed(failures) {
  // So many are no accident.
  if (failures.length > 10) {
    say(`\n${failures.length} tests failed: too many to be run once more`)
    return []
  }
  const unstable = []
  for (const { name, passesAlone } of failures) {
    say(`\nonce more, alone: ${name}`)
    if (await passesAlone()) unstable.push(name)
  }
  return unstable
}

/** The processes from this one up to npm. npm starts a script with `sh -c`, and some shells stay. */
function ancestors() {
  const readOfParent = (name) => readFileSync(`/proc/${process.ppid}/${name}`, 'utf8')
  try {
    const isShell = readOfParent('cmdline').split('\0')[1] === '-c'
    return `${process.ppid} ${isShell && readOfParent('status').match(/^PPid:.*/m)}`
  } catch {
    return `${process.ppid}` // The process has ended, or this is not Linux.
  }
}

/** Stops the run when the minutes are over, at a signal, or when the npm that runs this script has ended: a killed npm tells nobody. */
function watch(minutes) {
  // The output may have nobody to read it any more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop(`it got ${signal}`))
  setTimeout(() => stop(`it took ${minutes} minutes`), minutes * 60_000).unref()
  const first = ancestors()
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => {
      if (ancestors() !== first) stop('npm has ended')
    }, 500).unref()
}

function stop(why) {
  const files = readdirSync(RUNNING).flatMap(fileOf)
  const place = files.length > 0 ? `, in\n  ${files.join('\n  ')}` : ''
  say(`\nThe run was stopped: ${why}. It was in the suite ${current}${place}`)
  total.failed++
  sayTotal()
  process.exit(1) // Kills all children.
}

const words = process.argv.slice(2)
const { names, options = [] } = parse(words)
if (words[0] === '--all') process.env.TIMEOUT_WHEEL_SCALE ??= 'large'
let total = { passed: 0, failed: 0, failures: [] }
const sayTotal = () => say(`\n${total.passed} passed, ${total.failed} failed`)

let current = ''
const minutes = process.env.TIMEOUT_WHEEL_TEST_MINUTES ?? Math.max(...names.map((name) => SUITES[name].limit))
watch(Number(minutes))
openRunFolder()
for (const name of names) {
  current = name
  rmSync(RUNNING, { recursive: true, force: true })
  mkdirSync(RUNNING, { recursive: true })
  const start = performance.now()
  const result = await SUITES[name].run(name, options)
  const seconds = Math.round((performance.now() - start) / 1000)
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
  say(`${name}: ${result.passed} passed, ${result.failed} failed, ${time}`)
  total = sum(total, result)
}
const unstable = await repeatFailed(total.failures)
await stopServers()
total.passed += unstable.length
total.failed -= unstable.length
if (unstable.length > 0) say(['\nunstable:', ...unstable].join('\n  '))
sayTotal()
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
