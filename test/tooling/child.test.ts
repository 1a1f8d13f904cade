/** What `.tooling/child.cjs` promises of each child. */
import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, start } from '../../.tooling/child.cjs'

/** A variable by which a test finds its processes. */
const MARK = 'TIMEOUT_WHEEL_TEST_MARK'

/** The command lines of the processes whose environment has this mark. */
const processesOf = (mark: string): string[] =>
  fs.readdirSync('/proc').flatMap((id) => {
    try {
      const [variables, words] = ['environ', 'cmdline'].map((name) =>
        fs.readFileSync(`/proc/${id}/${name}`, 'utf8').split('\0').slice(0, -1),
      )
      return variables!.includes(`${MARK}=${mark}`) ? [words!.join(' ')] : []
    } catch {
      return [] // It has ended, or it is no process.
    }
  })

/** Waits until the processes of a mark are as wanted, for at most 20 s. Returns them. */
async function untilProcesses(mark: string, isWanted: (found: string[]) => boolean): Promise<string[]> {
  for (const end = Date.now() + 20_000; ; await sleep(20)) {
    const found = processesOf(mark)
    if (isWanted(found) || Date.now() > end) return found
  }
}

const CHILD = join(__dirname, '../../.tooling/child.cjs')

it('is ended at its limit with its group, and the error has its output', async () => {
  const mark = randomUUID()
  const env = { ...process.env, [MARK]: mark }
  const script = 'trap "" TERM; echo said; sleep 300 & while :; do sleep 0.05; done'
  const endless = run('sh', ['-c', script], { env, limit: 500 })
  await expect(endless).rejects.toThrow(/did not end within 0.5 s\nsaid$/)
  expect(await untilProcesses(mark, (found) => found.length === 0)).toEqual([])
})

/** Starts a child in its group, one that leaves the group, and one of another such program. */
const PARENT = `
  const { start } = require(${JSON.stringify(CHILD)})
  start('sh', ['-c', 'sleep 301 & setsid sleep 302 & exec sleep 303'], { limit: 300_000, stdio: 'inherit' })
  const inner = "require(" + ${JSON.stringify(JSON.stringify(CHILD))} + ").start('sleep', ['304'], { limit: 300_000 })"
  start(process.execPath, ['-e', inner], { limit: 300_000 })
  process.once('message', () => process.kill(process.pid, 'SIGKILL'))
`

// It finds processes in /proc.
const onLinux = process.platform === 'linux' ? it : it.skip
onLinux('ends with a process that is killed', async () => {
  const mark = randomUUID()
  const env = { ...process.env, [MARK]: mark }
  // Its group would end with it: a shell that stays leads the group.
  const words = ['-c', '"$0" "$@"; exec sleep 300', process.execPath, '-e', PARENT]
  const shell = start('sh', words, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], limit: 60_000 })
  const all = ['301', '302', '303', '304'].map((seconds) => `sleep ${seconds}`)
  const before = await untilProcesses(mark, (found) => all.every((one) => found.includes(one)))
  expect(before).toEqual(expect.arrayContaining(all))
  shell.process.send('end')
  const after = await untilProcesses(mark, (found) => found.join() === 'sleep 300')
  expect(after).toEqual(['sleep 300'])
  await shell.end()
})
