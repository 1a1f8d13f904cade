/** A failed test runs once more, alone. It is unstable if it passes then. A crash or a hang is no accident. */
import { expect, it } from '@jest/globals'
import { run } from '../../.tooling/child.cjs'
import { Workspace } from './workspace.js'

const [workspace, other] = [new Workspace(), new Workspace()]

/** Tests that fail in the first run alone. */
const FAILS_ONCE = `
  import { appendFileSync, readFileSync } from 'node:fs'
  import { describe, expect, it } from '@jest/globals'
  const runs = (name: string): number => {
    appendFileSync('runs', name + '\\n')
    return readFileSync('runs', 'utf8').split('\\n').filter((one) => one === name).length
  }
  describe('a group (of 2+)', () => {
    it('fails once: [a.*', () => expect(runs('accident')).toBe(2))
    it('fails once: [a.* and more', () => expect(runs('longer')).toBe(1))
  })`

async function test(workspace: Workspace, files: Record<string, string>): Promise<string> {
  workspace.write('runs', '')
  for (const name of ['one', 'two']) workspace.write(`test/contract/${name}.test.ts`, files[name]!)
  const how = { cwd: workspace.folder, limit: 150_000 }
  return (await run(process.execPath, ['.tooling/test.mjs', 'contract'], how)).stdout
}

it.concurrent('counts a test that passes alone as passed, and names it in the last lines', async () => {
  const passes = "import { it } from '@jest/globals'\nit('passes', () => {})"
  const output = await test(workspace, { one: FAILS_ONCE, two: passes })
  expect(output).toMatch(/\ncontract: 2 passed, 1 failed, \d+:\d\d min\n/)
  expect(output.slice(output.indexOf('\nunstable:'))).toBe(
    '\nunstable:\n  contract: test/contract/one.test.ts: a group (of 2+) fails once: [a.*\n\n3 passed, 0 failed\n',
  )
})

it.concurrent('repeats a random test with its seed, and neither a crash nor a hang nor a file that does not run', async () => {
  const output = await test(other, {
    one: `${FAILS_ONCE}
      it('is random', () => {
        const seed = Number(process.env.TIMEOUT_WHEEL_SEED ?? 42)
        expect({ seed, fault: seed === 42 }).toEqual({ seed, fault: false })
      })
      it.each(['signal SIGABRT', 'node did not end within 50 s'])('names %s', (why) => {
        if (runs(why) === 1) throw new Error(why)
      })`,
    two: "throw new Error('not run')",
  })
  const repeated = Array.from(output.matchAll(/^once more, alone: (.*)$/gm), ([, name]) => name)
  expect(repeated).toEqual([
    'contract: test/contract/one.test.ts: a group (of 2+) fails once: [a.*',
    'contract: test/contract/one.test.ts: is random',
  ])
  expect(output.trimEnd().split('\n').at(-1)).toBe('2 passed, 4 failed')
})
