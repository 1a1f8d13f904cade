/** An interrupted `npm test` leaves no process, and says where it stood. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect } from '@jest/globals'
import { type Child, start } from '../../.tooling/child.cjs'
import { atOnceOnLinux, type Found, isNone, MARK, untilProcesses, Workspace } from './workspace.js'

const HANGS = `import { it } from '@jest/globals'
  import { run } from '../../.tooling/child.cjs'
  it('hangs', () => run('sh', ['-c', 'sleep 300 & exec sleep 300'], { limit: 300_000 }))`

interface Run {
  readonly shell: Child
  readonly mark: string
  readonly processes: Found[]
  readonly output: () => string
}

/** Starts `npm test -- contract`, until the child of its test sleeps. The shell leads the group, and stays. */
async function startTests({ folder }: Workspace, env: NodeJS.ProcessEnv): Promise<Run> {
  const mark = randomUUID()
  const words = ['-c', `${MARK}=${mark} npm test -- contract; echo "npm: $?"; exec sleep 300`]
  // This process may run in npm itself.
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
  const shell = start('sh', words, { cwd: folder, env: { ...clean, ...env }, limit: 120_000 })
  let output = ''
  for (const stream of [shell.process.stdout, shell.process.stderr])
    stream?.setEncoding('utf8').on('data', (part) => {
      output += part
    })
  const processes = await untilProcesses(mark, (found) => found.filter(isSleeping).length === 2)
  return { shell, mark, processes, output: () => output }
}

const isSleeping = ({ words }: Found): boolean => words.join(' ') === 'sleep 300'
const isNpm = ({ words }: Found): boolean => words[0]!.startsWith('npm test')
const isScript = ({ words }: Found): boolean => words[1] === '.tooling/test.mjs'

/** Waits until the run has ended, and returns the processes that are left. */
async function rest({ shell, mark, output }: Run): Promise<string[]> {
  const left = await untilProcesses(mark, isNone)
  // The shell writes it at once when npm has ended.
  while (left.length === 0 && !output().includes('npm: ')) await once(shell.process.stdout!, 'data')
  await shell.end()
  return left.map(({ words }) => words.join(' '))
}

const STOOD = 'It was in the suite contract, in\n  test/contract/hangs.test.ts\n\n0 passed, 1 failed\n'

const kill =
  (isOne: (found: Found) => boolean, signal: string) =>
  ({ processes }: Run): unknown =>
    process.kill(processes.find(isOne)!.id, signal)

/** What ends a run, and what the run says then. */
const ENDS: [when: string, end: (run: Run) => unknown, said: string, env?: NodeJS.ProcessEnv][] = [
  ['npm is killed', kill(isNpm, 'SIGKILL'), 'npm has ended'],
  ['it takes too long', () => {}, 'it took 0.15 minutes', { TIMEOUT_WHEEL_TEST_MINUTES: '0.15' }],
  ['it gets SIGTERM', kill(isScript, 'SIGTERM'), 'it got SIGTERM'],
]

// Each has files of its own, so that they can wait at the same time.
const ends = ENDS.map(([when, ...rest]) => [when, new Workspace(), ...rest] as const)
atOnceOnLinux.each(ends)('ends everything when %s', async (_, workspace, end, said, env = {}) => {
  workspace.write('test/contract/hangs.test.ts', HANGS)
  const run = await startTests(workspace, env)
  expect([isScript, isSleeping].map((isOne) => run.processes.filter(isOne).length)).toEqual([1, 2])
  end(run)
  expect(await rest(run)).toEqual([])
  expect(run.output()).toContain(`The run was stopped: ${said}. ${STOOD}`)
  if (said.startsWith('it ')) expect(run.output()).toContain('npm: 1\n')
})
