/** An interrupted `npm test` leaves no process, and says where it stood. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { type Child, start } from '../../.tooling/child.cjs'
import { scaled } from '../scale.js'
import { type Found, isNone, MARK, untilProcesses, Workspace } from './workspace.js'

const workspace = new Workspace()
workspace.write(
  'test/packed/hangs.test.ts',
  `import { it } from '@jest/globals'
  import { run } from '../../.tooling/child.cjs'
  it('hangs', () => run('sh', ['-c', 'sleep 300 & exec sleep 300'], { limit: 300_000 }))`,
)

interface Run {
  readonly shell: Child
  readonly mark: string
  readonly processes: Found[]
  readonly output: () => string
}

/** Starts `npm test -- packed`, until the child of its test sleeps. The shell leads the group, and stays. */
async function startTests(env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const mark = randomUUID()
  const words = ['-c', `${MARK}=${mark} npm test -- packed; echo "npm: $?"; exec sleep 300`]
  // This process may run in npm itself.
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
  const shell = start('sh', words, { cwd: workspace.folder, env: { ...clean, ...env }, limit: 120_000 })
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

const STOOD = 'It was in the suite packed, in\n  test/packed/hangs.test.ts\n\n0 passed, 1 failed\n'

;(process.platform === 'linux' ? describe : describe.skip)('npm test', () => {
  it('ends everything when npm is killed', async () => {
    const run = await startTests()
    expect(run.processes.filter(isScript)).toHaveLength(1)
    process.kill(run.processes.find(isNpm)!.id, 'SIGKILL')
    expect(await rest(run)).toEqual([])
    expect(run.output()).toContain(`The run was stopped: npm has ended. ${STOOD}`)
  })

  it.each(scaled(['SIGTERM'], ['SIGTERM', 'SIGINT', 'SIGHUP']))(
    'ends everything when it gets %s',
    async (signal) => {
      const run = await startTests()
      process.kill(run.processes.find(isScript)!.id, signal)
      expect(await rest(run)).toEqual([])
      expect(run.output()).toContain(`The run was stopped: it got ${signal}. ${STOOD}`)
      expect(run.output()).toContain('npm: 1\n')
    },
  )

  it('ends everything when it is killed', async () => {
    const run = await startTests()
    process.kill(run.processes.find(isScript)!.id, 'SIGKILL')
    expect(await rest(run)).toEqual([])
  })

  it('ends everything when it takes too long', async () => {
    const run = await startTests({ TIMEOUT_WHEEL_TEST_MINUTES: '0.15' })
    expect(run.processes.filter(isSleeping)).toHaveLength(2)
    expect(await rest(run)).toEqual([])
    expect(run.output()).toContain(`The run was stopped: it took 0.15 minutes. ${STOOD}`)
  })
})
