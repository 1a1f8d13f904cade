/**
 * Runs one program on Node's own timers and on each build of ours, in processes of their own, and compares all it leaves behind.
 * Time passes only while a program waits: on a busy machine the slices of ours would end, and what was queued run, elsewhere.
 */
import { expect } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { type Outcome, run } from './child.js'

/** What a program may use; its other names are imported by itself. */
const PRELUDE = `
  const { setTimeout, clearTimeout, setInterval, clearInterval } = timers
  // Said at the end: speaking opens a stream, which async hooks see.
  const said = []
  const say = (values) => console.log(values.map((value) => typeof value === 'string' ? value : inspect(value)).join(' '))
  let note = (values) => said.push(values)
  const log = (...values) => void note(values)
  process.on('exit', () => { for (const values of said) say(values); note = say })
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
`

async function runOn(entry: string, body: string, flags: string[]): Promise<Outcome> {
  const script = `import * as timers from '${entry}'\nimport { inspect } from 'node:util'\nconst entry = '${entry}'\n${PRELUDE}${body}`
  const outcome = await run(script, flags, virtualClock())
  return { ...outcome, stderr: comparable(outcome.stderr) }
}

/**
 * Without the number of the process, the frames of whoever calls callbacks, and the line of the source that Node shows
 * first: for what the addon reports it has to find that from the error, and says where that was made, not thrown; and what
 * a handler has thrown is thrown on from a line of ours.
 */
function comparable(stderr: string): string {
  return stderr
    .replace(/(?:(?:file:|[^\n]*\/dist\/)[^\n]*:\d+\n[^\n]*\n[ \t]*\^+\n|<anonymous_script>:0\n\n)/, '')
    .split('\n')
    .filter((line) => !/^ +at .*(node:internal|node:async_hooks|\/dist\/)/.test(line))
    .join('\n')
    .replaceAll(/\(node:\d+\)/g, '(node)')
}

/** Runs `body` on all three at once; what they leave behind is equal. Returns that. */
export async function expectLikeNative(body: string, flags: string[] = []): Promise<Outcome> {
  const [native, ...ours] = await Promise.all(
    ['node:timers', ...ENTRIES].map((entry) => runOn(entry, body, flags)),
  )
  // A program that says nothing compares nothing.
  expect([native!.signal, native!.lines.length > 0 || native!.code !== 0]).toEqual([null, true])
  for (const [i, outcome] of ours.entries())
    expect({ entry: ENTRIES[i], ...outcome }).toEqual({ entry: ENTRIES[i], ...native! })
  return native!
}
