/**
 * node bench/nodes.mjs [part ...] [options of bench/run.mjs]: measures parts on later lines of Node, whose own timers have
 * become cheaper, into bench/results/node-<line>. Unless parts are named: those whose figures to reach differ there.
 */

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeOfLine } from '../.tooling/nodes.mjs'
import { resultsFolder } from './charts.mjs'

const LINES = [24, 26]
const PARTS = ['set-clear', 'distinct', 'refresh', 'set-fire']

const program = fileURLToPath(new URL('run.mjs', import.meta.url))
const given = process.argv.slice(2)
const parts = given.some((argument) => !argument.startsWith('--')) ? [] : PARTS

for (const line of LINES) {
  const out = mkdtempSync(path.join(tmpdir(), 'timeout-wheel-bench-'))
  const options = ['--full', `--out=${out}`, ...parts, ...given]
  const { status } = spawnSync(nodeOfLine(line), [program, ...options], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  const folder = new URL(`node-${line}/`, resultsFolder)
  mkdirSync(folder, { recursive: true })
  // The charts would be those of the report once more.
  for (const name of readdirSync(out).filter((one) => one.endsWith('.json'))) {
    copyFileSync(path.join(out, name), new URL(name, folder))
  }
  rmSync(out, { recursive: true })
}
