/** Measures parts of the long form on later lines of Node, because native timers are cheaper there. */

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from '../../.tooling/child.cjs'
import { nodeOfLine } from '../../.tooling/nodes.mjs'
import { resultsFolder } from '../report/charts.mjs'

const LINES = [24, 26]
/** Milliseconds for the parts on one line of Node, which take hours if all are named. */
const LINE_LIMIT = 24 * 3_600_000
/** The parts whose figures to reach differ on these lines. */
const PARTS = ['set-clear', 'distinct', 'refresh', 'set-fire', 'signals']

export const usage = `npm run bench -- nodes [part ...] [options]

Measures parts on Node ${LINES.join(' and ')}, into bench/results/node-<line>.
If no part is named: ${PARTS.join(', ')}
Parts and options: those of npm run bench -- full`

const program = fileURLToPath(new URL('../run.mjs', import.meta.url))

/** @param {string[]} args */
export async function run(args) {
  const parts = args.some((argument) => !argument.startsWith('-')) ? [] : PARTS
  for (const line of LINES) {
    const out = mkdtempSync(path.join(tmpdir(), 'timeout-wheel-bench-'))
    const words = ['full', ...parts, ...args, `--out=${out}`]
    const how = { stdio: /** @type {const} */ ('inherit'), limit: LINE_LIMIT }
    const { code } = await start(await nodeOfLine(line), [program, ...words], how).ended
    if (code !== 0) process.exit(code ?? 1)
    const folder = new URL(`node-${line}/`, resultsFolder)
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(out).filter((one) => one.endsWith('.json'))) {
      copyFileSync(path.join(out, name), new URL(name, folder))
    }
    rmSync(out, { recursive: true })
  }
}
