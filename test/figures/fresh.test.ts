/** The figures of README come from the code that is there, and from three runs or more. */
import { inBench } from '../bench/in-bench.js'

it('shows no result in README that is older than the code, or of fewer than three runs', async () => {
  const { unknown, refused } = await inBench<{ unknown?: string; refused: string[] }>(`
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
  if (unknown !== undefined) console.warn(`The age of the results is unknown: ${unknown}.`)
  expect(refused).toEqual([])
})
