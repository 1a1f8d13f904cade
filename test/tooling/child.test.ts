/** What `.tooling/child.cjs` promises of each child. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { outputOf, run, start } from '../../.tooling/child.cjs'
import { isNone, itOnLinux, MARK, untilProcesses, Workspace } from './workspace.js'

const CHILD = join(__dirname, '../../.tooling/child.cjs')
const LIMIT = 20_000

it('gives its output, its exit code and its signal', async () => {
  const both = await run('sh', ['-c', 'cat; echo err >&2; exit 3'], { limit: LIMIT, input: 'in' })
  expect(both).toEqual({ code: 3, signal: null, stdout: 'in', stderr: 'err\n' })
  const killed = await run('sh', ['-c', 'kill -USR2 $$'], { limit: LIMIT })
  expect(killed).toMatchObject({ code: null, signal: 'SIGUSR2' })
})

it('gets further descriptors, a channel and signals, and this process is its parent', async () => {
  const script = `
      require('node:fs').writeSync(3, 'third')
      process.on('SIGTERM', () => process.exit(7))
      process.send({ parent: process.ppid, group: process.pid })
      setInterval(() => {}, 1_000)`
  const child = start(process.execPath, ['-e', script], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'ipc'],
    limit: LIMIT,
  })
  const [third, message] = [once(child.process.stdio[3]!, 'data'), once(child.process, 'message')]
  expect(String(await third)).toBe('third')
  expect((await message)[0]).toEqual({ parent: process.pid, group: child.process.pid })
  child.process.kill('SIGTERM')
  expect(await child.ended).toEqual({ code: 7, signal: null })
})

it('is named if there is no such program', async () => {
  const message = 'no-such-program could not be started: spawn no-such-program ENOENT'
  await expect(run('no-such-program', [], { limit: LIMIT })).rejects.toThrow(message)
})

it('is named with its code and its output if it must succeed', async () => {
  const message = /^sh -c echo why; exit 4 ended with code 4:\nwhy$/
  await expect(outputOf('sh', ['-c', 'echo why; exit 4'], { limit: LIMIT })).rejects.toThrow(message)
})

it('needs a limit', () => {
  for (const limit of [0, NaN, Infinity])
    expect(() => start('true', [], { limit })).toThrow(`true needs a limit in milliseconds, got ${limit}`)
})

it('is ended at its limit with its group, and the error has its output', async () => {
  const mark = randomUUID()
  const env = { ...process.env, [MARK]: mark }
  const endless = run('sh', ['-c', 'echo said; sleep 300 & exec sleep 300'], { env, limit: 500 })
  const message = /^sh -c echo said; sleep 300 & exec sleep 300 did not end within 0.5 s\nsaid$/
  await expect(endless).rejects.toThrow(message)
  expect(await untilProcesses(mark, isNone)).toEqual([])
})

it.concurrent('is killed if it ignores SIGTERM', async () => {
  const script = 'trap "" TERM; while :; do sleep 0.05; done'
  await expect(run('sh', ['-c', script], { limit: 300 })).rejects.toThrow('did not end within 0.3 s')
})

it('takes the children with it that it leaves, and their ends of the pipes', async () => {
  const mark = randomUUID()
  const env = { ...process.env, [MARK]: mark }
  expect(await outputOf('sh', ['-c', 'sleep 300 & echo done'], { env, limit: LIMIT })).toBe('done\n')
  expect(await untilProcesses(mark, isNone)).toEqual([])
})

/** Programs that start a child in its group, one that leaves the group, and one of another such program. */
const PARENT = `
  const { start } = require(${JSON.stringify(CHILD)})
  start('sh', ['-c', 'sleep 301 & setsid sleep 302 & exec sleep 303'], { limit: 300_000, stdio: 'inherit' })
  const inner = "require(" + ${JSON.stringify(JSON.stringify(CHILD))} + ").start('sleep', ['304'], { limit: 300_000 })"
  start(process.execPath, ['-e', inner], { limit: 300_000 })
`

const linesOf = (found: { words: string[] }[]): string[] => found.map(({ words }) => words.join(' '))

itOnLinux.each([
  ['is killed', "process.kill(process.pid, 'SIGKILL')"],
  ['is interrupted', "process.kill(process.pid, 'SIGINT')"],
  ['exits', 'process.exit()'],
  ['throws', "throw new Error('thrown')"],
])('ends with a process that %s', async (_, last) => {
  const mark = randomUUID()
  const env = { ...process.env, [MARK]: mark }
  const script = `${PARENT}\nprocess.once('message', () => { ${last} })`
  // Its group would end with it: a shell that stays leads the group.
  const words = ['-c', '"$0" "$@"; exec sleep 300', process.execPath, '-e', script]
  const shell = start('sh', words, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], limit: 60_000 })
  const all = ['301', '302', '303', '304'].map((seconds) => `sleep ${seconds}`)
  const before = await untilProcesses(mark, (found) => all.every((one) => linesOf(found).includes(one)))
  expect(linesOf(before)).toEqual(expect.arrayContaining(all))
  shell.process.send('end')
  const after = await untilProcesses(mark, (found) => linesOf(found).join() === 'sleep 300')
  expect(linesOf(after)).toEqual(['sleep 300'])
  await shell.end()
})

const workspace = new Workspace()

it.concurrent('ends after the hooks of the test file that started it', async () => {
  workspace.write(
    'test/leaves.test.ts',
    `import { once } from 'node:events'
      import { afterAll, expect, it } from '@jest/globals'
      import { start } from '../.tooling/child.cjs'
      const script = 'trap "echo ended > ended; exit" TERM; while read -r word; do echo "$word"; done; sleep 300'
      const { process: child } = start('sh', ['-c', script], { stdio: 'pipe', limit: 60_000 })
      afterAll(async () => {
        child.stdin!.write('answer\\n')
        expect(String(await once(child.stdout!, 'data'))).toBe('answer\\n')
      })
      it('passes', () => {})`,
  )
  const how = { cwd: workspace.folder, limit: 60_000 }
  await outputOf(process.execPath, ['node_modules/.bin/jest', 'test/leaves'], how)
  // By SIGTERM: the guard would have killed it.
  expect(readFileSync(join(workspace.folder, 'ended'), 'utf8')).toBe('ended\n')
})
