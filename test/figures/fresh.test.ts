/** The figures of README come from the code that is there, and from three runs or more. */
import { beforeAll, expect, it } from '@jest/globals'
import { outputOf } from '../../.tooling/child.cjs'
import { inBench } from '../bench/in-bench.js'

let unknown: string | undefined
let refused: string[]
beforeAll(async () => {
  const found = await inBench<{ unknown?: string; refused: string[] }>(`
  import { parts } from './parts/index.mjs'
  import { LINES, reader, readHeadline } from './report/read.mjs'
  import { shownParts } from './report/summary.mjs'
  import { isStale, whyUnknown } from './runner/freshness.mjs'
  const unknown = await whyUnknown()
  const refused = []
  for (const name of unknown === undefined ? shownParts : []) {
    const part = parts.find((one) => one.name === name)
    // Pages are the same on each line of Node.
    const result = part.onRequest ? readHeadline(reader(), name) : reader()(name, LINES[0])
    const runs = result?.runs ?? []
    if (runs.length < 3) refused.push(name + ': ' + runs.length + ' of 3 runs')
    for (const { commit } of runs) if (await isStale(part, commit)) refused.push(name + ': a run on ' + commit + ' is too old')
  }
  show({ unknown, refused })`)
  unknown = found.unknown
  refused = found.refused
})

it('shows no result in README that is older than the code, or of fewer than three runs', () => {
  if (unknown !== undefined) console.warn(`The age of the results is unknown: ${unknown}.`)
  expect(refused).toEqual([])
})

it('knows that a result on the first commit is too old, and one on the last is not', async () => {
  if (unknown !== undefined) return
  const git = async (...args: string[]): Promise<string> =>
    (await outputOf('git', args, { cwd: __dirname, limit: 10_000 })).trim().split('\n')[0]!
  const head = await git('rev-parse', 'HEAD')
  const root = await git('rev-list', '--max-parents=0', 'HEAD')
  const stale = await inBench(`
    import { isStale } from './runner/freshness.mjs'
    const part = { sources: ['lib', 'native'] }
    const commits = ['${root}', '${head}', '${head}+', '0123456789ab']
    show(await Promise.all(commits.map((commit) => isStale(part, commit))))`)
  expect(stale).toEqual([true, false, true, true])
})
