/** The results that runs write, the pages of `npm run bench -- report`, and the figures in documents. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.js'
import { inBench, runInBench } from './in-bench.js'

const all = temporaryFolder()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(all, 'report-'))
})

/** A row with a median of `atOnce`, of one run. */
function row(id: string, group: string, median: number, against?: string): object {
  const values = { atOnce: [[median, median / 2, median * 2, 7]] }
  return { id, label: `${id} & more`, group, against, values }
}

const rows = (own: number): object[] => [row('native', 'native', 1000), row('addon-handles', 'addon', own)]

/** Writes the results of a part: a run on each line of Node. */
function write(lines: Record<string, object[]>): void {
  const about = { date: '2026-01-02T03:04:05.000Z', version: '1.2.3', commit: null, machine: 'a machine' }
  const stored = Object.entries(lines).map(([line, some]) => {
    const run = { ...about, node: `v${line}.1.0`, settings: { timers: 1000 } }
    return [line, { runs: [run], rows: some }]
  })
  const results = { part: 'set-clear', lines: Object.fromEntries(stored) }
  writeFileSync(join(folder, 'set-clear.json'), JSON.stringify(results))
}

async function readPage(name: string): Promise<string> {
  await runInBench(['run.mjs', 'report', `--from=${folder}`, `--out=${folder}`])
  return readFileSync(join(folder, name), 'utf8')
}

it('shows a figure on a page, its spread and its bar on each line of Node, reached or missed', async () => {
  write({ 20: rows(50), 24: rows(200) })
  const text = await readPage('development.html')
  expect(text).toContain('200.0 ns <span class="spread">(100.0 - 400.0)</span>')
  const bars = text.split('<h2>').map((part) => part.slice(0, part.indexOf('reached')))
  expect(bars.find((one) => one.includes('on Node 24'))).toContain('0 of 1')
  expect(bars.find((one) => one.includes('on Node 20'))).toContain('1 of 1')
  expect(text).toContain('<span class="no">missed</span>')
})

it('lists a figure of ours that is worse than the row that it is compared with, and no other', async () => {
  const pairs = [row('small', 'native', 10), row('our-small', 'addon', 8, 'small')]
  const large = [row('large', 'native', 1000), row('our-slow', 'addon', 1100, 'large')]
  write({ 24: [...pairs, ...large] })
  const text = await readPage('index.html')
  const losses = text.slice(text.indexOf('id="losses"'), text.indexOf('id="charts"'))
  expect(losses).toContain('our-slow')
  expect(losses).not.toContain('our-small')
})

/** Writes runs with these medians, and reads the file. */
const record = (medians: number[]) =>
  inBench<{ text: string; medians: number[]; median: number }>(`
      import { readFileSync } from 'node:fs'
      import { pathToFileURL } from 'node:url'
      import { readLine, writeRun } from './runner/results.mjs'
      const folder = pathToFileURL(${JSON.stringify(`${folder}/`)})
      for (const median of ${JSON.stringify(medians)}) {
        const values = { time: { median, min: median / 2, max: 2 * median, turns: 3 } }
        const result = { run: { node: 'v24.1.0', commit: 'new' }, rows: [{ id: 'ours', label: 'ours', group: 'addon', values }] }
        await writeRun(folder, 'a-part', result, async () => false)
      }
      const { time } = readLine(folder, 'a-part', 24).rows[0].values
      show({ text: readFileSync(new URL('a-part.json', folder), 'utf8'), ...time })`)

it('records the last five runs, a line for each row, with the median of their medians', async () => {
  const { text, medians, median } = await record([1, 6, 3, 4, 5, 2])
  expect([medians, median]).toEqual([[6, 3, 4, 5, 2], 4])
  expect(text.split('\n').filter((line) => line.includes('"ours"'))).toHaveLength(1)
})

const GAINS: [format: string, medians: number[], shown: string][] = [
  ['formatGain', [50, 20, 25], '2 to 5 times less'],
  ['formatGain', [200, 250], '2 to 2.5 times more'],
  ['formatGain', [95, 105], 'no difference'],
  ['formatShortGain', [50, 20, 25], '2-5× less'],
  ['formatShortGain', [95, 105], 'no difference'],
  ['formatShortGain', [50, 200], '2× more to 2× less'],
]
it('shows all runs, never only the best, beside 100', async () => {
  const texts = await inBench(`
    import * as formats from './report/read.mjs'
    show(${JSON.stringify(GAINS)}.map(([format, medians]) => {
      const rows = [{ id: 'a', values: { k: { medians: medians.map(() => 100) } } }, { id: 'b', values: { k: { medians } } }]
      return formats[format](formats.rangeOf({ rows }, 'a', 'b', 'k'))
    }))`)
  expect(texts).toEqual(GAINS.map(([, , shown]) => shown))
})

/** Documents with a median of 100 for native timers, and these for ours, by the number of operations in a turn or task. */
const sayWith = (own: Record<number, number>) =>
  inBench<{ single: string; losses: string; summary: string; comparison: string }>(`
    import { formatLosses, formatSingleLosses } from './report/losses.mjs'
    import { reader } from './report/read.mjs'
    import { formatComparison, formatSummary } from './report/summary.mjs'
    const own = ${JSON.stringify(own)}
    const recorded = reader()
    // Each row of these parts has its number of operations at the end of its id.
    const change = ({ id, group, values }) => {
      const median = group === 'native' ? 100 : own[id.split('-').at(-1)] ?? 100
      const one = { median, medians: [median], min: median, max: median, turns: 1 }
      return { id, group, values: Object.fromEntries(Object.keys(values).map((key) => [key, one])) }
    }
    const read = (name, line) => {
      const result = recorded(name, line)
      return result && /turns$/.test(name) ? { ...result, rows: result.rows.map(change) } : result
    }
    const [single, losses] = [formatSingleLosses, formatLosses].map((format) => format(read))
    show({ single, losses, summary: formatSummary(read), comparison: formatComparison(read) })`)

it('says where few operations in a turn cost more, by the figures', async () => {
  const { single, losses, summary, comparison } = await sayWith({ 1: 200, 4: 130, 16: 80, 1000: 20 })
  expect(single).toContain('costs more: setting and clearing takes 200 ns in Node (natively 100 ns)')
  expect(losses).toContain('- Node: set and clear at 1 and 4 (up to 2 times); refresh at 1 and 4')
  expect(losses).toContain('- Firefox: set and clear at 1 (up to 2 times)')
  expect(summary).toContain('At 16, the everyday case, setting and clearing a timer costs 1.3 times less')
  expect(comparison).toContain('| 100 → 200 ns, 2× more | 100 → 80 ns, 1.3× less | 100 → 20 ns, 5× less |')
})

it('says nothing of few operations if they cost no more', async () => {
  const { single, losses, summary } = await sayWith({ 1: 105, 4: 100, 16: 100, 1000: 20 })
  expect(single).toBe('')
  expect(losses).toBe('Operations cost no more than natively, however few share a turn or a task.')
  expect(summary).toContain('clearing a timer costs the same, and refreshing one costs the same. At 1,000')
})

it('shows exactly the figures of the results in documents, in at most eight rows of README', async () => {
  const { differing, rowsInReadme } = await inBench<{ differing: string[]; rowsInReadme: number }>(`
    import { readFileSync } from 'node:fs'
    import { charts, documents, insertFigures } from './report/docs.mjs'
    import { reader } from './report/read.mjs'
    import { formatComparison } from './report/summary.mjs'
    const read = reader()
    // The formatter of documents aligns the columns.
    const bare = (text) =>
      text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').replace(/\\n{2,}/g, '\\n\\n').replace(/ ?-+:/g, '-:')
    const differing = documents.filter((name) => {
      const text = readFileSync('../' + name, 'utf8')
      return bare(insertFigures(text, read)) !== bare(text)
    })
    for (const [name, svg] of Object.entries(charts(read))) {
      if (readFileSync('results/' + name, 'utf8') !== svg) differing.push(name)
    }
    const lines = formatComparison(read).split('\\n')
    // Two tables: without their headers, the lines below these, and the headings.
    const isRow = (line, i) => line.startsWith('| ') && !line.includes('---') && !lines[i + 1]?.includes('---') && !line.includes('**')
    show({ differing, rowsInReadme: lines.filter(isRow).length })`)
  expect(differing).toEqual([])
  expect(rowsInReadme).toBeLessThanOrEqual(8)
})
