/** What `.tooling/child.cjs` promises of each child. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { run, start } from '../../.tooling/child.cjs'
import { isNone, itOnLinux, MARK, untilProcesses } from './workspace.js'

const CHILD = join(__dirname, '../../.tooling/child.cjs')

it('is ended at its limit with its group, and the error has its output', async () => {
  const mark = randomUUID()
  const env = { ...process.env, [MARK]: mark }
  const script = 'trap "" TERM; echo said; sleep 300 & while :; do sleep 0.05; done'
  const endless = run('sh', ['-c', script], { env, limit: 500 })
  await expect(endless).rejects.toThrow(/did not end within 0.5 s\nsaid$/)
  expect(await untilProcesses(mark, isNone)).toEqual([])
})

/** Starts a child in its group, one that leaves the group, and one of another such program. */
const PARENT = `
  const { start } = require(${JSON.stringify(CHILD)})
  start('sh', ['-c', 'sleep 301 & setsid sleep 302 & exec sleep 303'], { limit: 300_000, stdio: 'inherit' })
  const inner = "require(" + ${JSON.stringify(JSON.stringify(CHILD))} + ").start('sleep', ['304'], { limit: 300_000 })"
  start(process.execPath, ['-e', inner], { limit: 300_000 })
  process.once('message', () => process.kill(process.pid, 'SIGKILL'))
`

const linesOf = (found: { words: string[] }[]): string[] => found.map(({ words }) => words.join(' '))

itOnLinux('ends with a process that is killed', async () => {
  const mark = randomUUID()
  const env = { ...process.env, [MARK]: mark }
  // Its group would end with it: a shell that stays leads the group.
  const words = ['-c', '"$0" "$@"; exec sleep 300', process.execPath, '-e', PARENT]
  const shell = start('sh', words, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], limit: 60_000 })
  const all = ['301', '302', '303', '304'].map((seconds) => `sleep ${seconds}`)
  const before = await untilProcesses(mark, (found) => all.every((one) => linesOf(found).includes(one)))
  expect(linesOf(before)).toEqual(expect.arrayContaining(all))
  shell.process.send('end')
  const after = await untilProcesses(mark, (found) => linesOf(found).join() === 'sleep 300')
  expect(linesOf(after)).toEqual(['sleep 300'])
  await shell.end()
})
