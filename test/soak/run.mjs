/**
 * npm run soak -- [--minutes=120] [--state=build/soak.json]: all features for hours, while faults happen. Each run is a part, and adds its
 * result to the file, every minute; so a part that is stopped counts as far as it came. The last lines are the report on all parts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cmakeBuild } from '../../.tooling/cmake.mjs'
import { openRunFolder } from '../../.tooling/prepare.mjs'
import { NODE_LINES, nodeOfLine } from '../../.tooling/runtimes.mjs'
import { startPostgres, stopServers } from '../../.tooling/servers.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { root, say } from '../../.tooling/step.mjs'
import { onNode, onPage, onStore } from './subjects.mjs'

const MINUTE = 60_000
/** Memory may grow by this share and so many bytes from the second third of a part to its last. */
const GROWTH = { heap: [1.05, 2e6], rss: [1.1, 16e6] }
/** A part with fewer samples says nothing on memory. */
const SAMPLES = 9

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    state: { type: 'string', default: join(root, 'build/soak.json') },
  },
})
const minutes = Number(values.minutes)

function readParts() {
  try {
    return JSON.parse(readFileSync(values.state, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}
const parts = readParts()
const part = { began: new Date().toISOString(), minutes: 0, failures: [], subjects: {} }
parts.push(part)
function save() {
  mkdirSync(dirname(values.state), { recursive: true })
  writeFileSync(values.state, JSON.stringify(parts))
}
function failed(text) {
  part.failures.push(text)
  say(`FAILED: ${text}`)
}

async function open() {
  openRunFolder()
  await cmakeBuild('virtual-clock', 'set_clock')
  await setUp(['chromium', 'postgres'])
  const node = await nodeOfLine(NODE_LINES.at(-1))
  const { url } = await startPostgres()
  return Promise.all([
    onNode(node, 'timeout-wheel/native'),
    onNode(node, 'timeout-wheel/wasm'),
    onPage(),
    onStore(node, 'SQLite'),
    onStore(node, 'PostgreSQL', url),
  ])
}

/** Takes in what a subject has found. */
function note({ name }, { faults, memory, ...found }) {
  const kept = part.subjects[name]
  Object.assign(kept, found)
  kept.memory.push(memory)
  for (const fault of faults) failed(`${name}: ${fault}`)
}

/** Lets faults happen to a subject, one after the other. */
async function disturb({ name, faults }, isOver) {
  const names = Object.keys(faults)
  const { happened } = part.subjects[name]
  for (;;) {
    await sleep(5_000 + Math.random() * 15_000)
    if (isOver()) return
    const fault = names[Math.floor(Math.random() * names.length)]
    happened[fault] = (happened[fault] ?? 0) + 1
    await faults[fault]()
  }
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
function compareMemory(name, samples) {
  if (samples.length < SAMPLES) return
  const third = Math.floor(samples.length / 3)
  for (const [key, [share, bytes]] of Object.entries(GROWTH)) {
    const of = (from, to) => median(samples.slice(from, to).map((memory) => memory[key]))
    const [before, after] = [of(third, 2 * third), of(2 * third)]
    if (after > before * share + bytes) failed(`${name}: ${key} grew from ${before} to ${after} bytes`)
  }
}

const subjects = await open()
for (const { name } of subjects) part.subjects[name] = { counts: {}, happened: {}, memory: [] }
const start = performance.now()
const isOver = () => performance.now() - start >= minutes * MINUTE
const disturbances = subjects.map((subject) =>
  disturb(subject, isOver).catch((error) => failed(`${subject.name}: ${error.message}`)),
)
const reports = subjects.map(async (subject) => {
  for (let i = 1; i < minutes; i++) {
    await sleep(Math.max(0, start + i * MINUTE - performance.now()))
    note(subject, await subject.report())
  }
})
const clock = setInterval(() => {
  part.minutes = Math.floor((performance.now() - start) / MINUTE)
  save()
}, MINUTE)
await Promise.all(reports).catch((error) => failed(error.message))
await Promise.all(disturbances)
clearInterval(clock)
async function finish(subject) {
  const stopped = await Promise.race([subject.stop(), sleep(5 * MINUTE)]).catch(({ message }) => ({
    message,
  }))
  if (stopped?.counts === undefined)
    failed(`${subject.name} does not end: ${stopped?.message ?? 'no answer'}`)
  else note(subject, stopped)
  const { counts, memory, pending, open } = part.subjects[subject.name]
  if (counts.thrown !== counts.caught)
    failed(`${subject.name}: ${counts.thrown} thrown, ${counts.caught} caught`)
  if (pending > 0 || open > 0) failed(`${subject.name}: ${pending} pending, ${open} connections are open`)
  compareMemory(subject.name, memory)
}
await Promise.all(subjects.map(finish))
part.minutes = Math.floor((performance.now() - start) / MINUTE)
save()
await stopServers()

say(
  `\n${parts.length} parts, ${(parts.reduce((sum, { minutes }) => sum + minutes, 0) / 60).toFixed(1)} hours`,
)
for (const [i, { began, minutes, subjects, failures }] of parts.entries()) {
  say(`\npart ${i + 1}: ${began}, ${minutes} min, ${failures.length} failures`)
  for (const text of failures) say(`  FAILED: ${text}`)
  for (const [name, { counts, happened, memory, latest }] of Object.entries(subjects)) {
    const shown = (object) =>
      Object.entries(object)
        .map(([key, n]) => `${n} ${key}`)
        .join(', ')
    const mb = (memory) =>
      Object.values(memory)
        .map((bytes) => (bytes / 1e6).toFixed(1))
        .join(' and ')
    say(`  ${name}: ${shown(counts)}\n    ${shown(happened)}`)
    if (memory.length > 1)
      say(`    MB: ${mb(memory[Math.floor(memory.length / 3)])}, at the end ${mb(memory.at(-1))}`)
    if (latest) say(`    at most ${Math.round(latest)} ms late`)
  }
}
process.exit(part.failures.length === 0 ? 0 : 1)
