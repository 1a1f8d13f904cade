/** The addons for other platforms run the contract, in Node for those platforms: on arm64 in QEMU, on Windows in Wine. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { run } from '../../.tooling/child.cjs'
import type { Outcome } from '../browser/contract/runner.js'

const root = join(__dirname, '../..')
/** Five minutes for each specification: QEMU is 20 times slower than the processor. */
const PATIENCE = 300_000

const all = readdirSync(join(root, 'test/contract'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => basename(name, '.test.ts'))

/** `linux-arm64:timeout,order win32-x64`: a platform with some specifications, and a platform with all. */
const runs = (process.env.TIMEOUT_WHEEL_PREBUILT ?? 'linux-arm64:timeout').split(' ').map((run) => {
  const [platform, named] = run.split(':') as [string, string?]
  return { platform, specs: named?.split(',') ?? all }
})

describe.each(runs)('the contract on $platform', ({ platform, specs }) => {
  // Each has files of its own, but all programs in Wine share a server, which ends with the program that has started it.
  const specify = platform.startsWith('win32') ? it : it.concurrent
  specify.each(specs)(
    '%s',
    async (spec) => {
      const outcomes = join(root, `build/prebuilt/${platform}-${spec}.jsonl`)
      const args = [join(__dirname, 'contract.mjs'), platform, spec, outcomes]
      const { code, stderr } = await run(process.execPath, args, { limit: PATIENCE })
      const lines = readFileSync(outcomes, 'utf8').split('\n').slice(0, -1)
      const failed = lines
        .map((line) => JSON.parse(line) as Outcome)
        .filter(({ failure }) => failure !== undefined)
      const output = code === 0 && failed.length === 0 ? '' : stderr
      expect({ code, failed, output }).toEqual({ code: 0, failed: [], output: '' })
      expect(lines.length).toBeGreaterThan(0)
    },
    PATIENCE + 10_000,
  )
})
