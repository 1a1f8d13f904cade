/** A failed test runs once more, alone. It is unstable if it passes then. A crash or a hang is no accident. */
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../../.tooling/child.cjs'
import { temporaryFolder } from '../temporary-folder.js'

const ROOT = join(__dirname, '../..')

/** A copy of the tools in which nothing is built. */
const folder = temporaryFolder()
for (const name of ['.tooling', 'test/mutants', 'package.json', 'jest.config.mjs'])
  fs.cpSync(join(ROOT, name), join(folder, name), { recursive: true })
fs.symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

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

it('counts a test that passes alone, with its seed, as passed, and repeats neither a crash nor a hang nor a file that does not run', async () => {
  const one = `${FAILS_ONCE}
    it('is random', () => {
      const seed = Number(process.env.TIMEOUT_WHEEL_SEED ?? 42)
      expect({ seed, fault: seed === 42 }).toEqual({ seed, fault: false })
    })
    it.each(['signal SIGABRT', 'node did not end within 50 s'])('names %s', (why) => {
      if (runs(why) === 1) throw new Error(why)
    })`
  const files = {
    '.tooling/build.mjs': '',
    'build/virtual-clock/virtual_clock.so': '',
    runs: '',
    'test/contract/one.test.ts': one,
    'test/contract/two.test.ts': "throw new Error('not run')",
  }
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(folder, name)), { recursive: true })
    fs.writeFileSync(join(folder, name), text)
  }
  const how = { cwd: folder, limit: 150_000 }
  const { stdout } = await run(process.execPath, ['.tooling/test.mjs', 'contract'], how)
  const accident = 'contract: test/contract/one.test.ts: a group (of 2+) fails once: [a.*'
  const repeated = Array.from(stdout.matchAll(/^once more, alone: (.*)$/gm), ([, name]) => name)
  expect(repeated).toEqual([accident, 'contract: test/contract/one.test.ts: is random'])
  expect(stdout).toMatch(/\ncontract: 1 passed, 5 failed, \d+:\d\d min\n/)
  expect(stdout.slice(stdout.indexOf('\nunstable:'))).toBe(
    `\nunstable:\n  ${accident}\n\n2 passed, 4 failed\n`,
  )
})
