/** The pages that `npm run bench -- report` makes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { run } from '../../.tooling/child.cjs'

const PROGRAM = join(__dirname, '../../bench/run.mjs')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-report-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const summary = (median: number): object => ({ median, min: median / 2, max: median * 2, turns: 7 })

const result = (part: string, own: number, more: object = {}): object => ({
  part,
  title: `<${part}>`,
  note: 'How it was measured.',
  machine: { cpu: 'a processor', cores: 2, memory: '8 GiB', os: 'Linux' },
  node: 'v20.0.0',
  version: '1.2.3',
  commit: null,
  date: '2026-01-02T03:04:05.000Z',
  settings: {},
  metrics: [{ key: 'atOnce', label: 'at once', unit: 'ns' }],
  rows: [
    { id: 'native', label: 'native & first', group: 'native', values: { atOnce: summary(1000) } },
    { id: 'addon-handles', label: 'ours', group: 'addon', values: { atOnce: summary(own) } },
    { id: 'far', label: 'a rival', group: 'rival', values: { atOnce: summary(100_000) } },
  ],
  missing: [{ label: 'another rival', reason: 'it has no "path"' }],
  ...more,
})

/** `page` is for users, `developmentPage` for developers of this package. */
interface Pages {
  code: number | null
  stderr: string
  page: () => string
  developmentPage: () => string
}

async function makePages(results: Record<string, object>): Promise<Pages> {
  for (const [name, one] of Object.entries(results)) writeFileSync(join(folder, name), JSON.stringify(one))
  const args = [PROGRAM, 'report', `--from=${folder}`, `--out=${folder}`]
  const { code, stderr } = await run(process.execPath, args, { limit: 60_000 })
  const read = (name: string) => (): string => readFileSync(join(folder, name), 'utf8')
  return { code, stderr, page: read('index.html'), developmentPage: read('development.html') }
}

it('shows a figure, its spread and its bar, reached or missed', async () => {
  const reached = (await makePages({ 'a.json': result('set-clear', 50) })).developmentPage()
  expect(reached).toContain('50 ns <span class="spread">(25 – 100)</span>')
  expect(reached).toContain('1 of 1 reached')
  const missed = (await makePages({ 'a.json': result('set-clear', 500) })).developmentPage()
  expect(missed).toContain('0 of 1 reached')
  expect(missed).toContain('<span class="no">missed</span>')
})

it('shows the cost of the runtime itself, if it was measured', async () => {
  const floor = { id: 'resource', label: 'no timer', group: 'floor', values: { atOnce: summary(20) } }
  const { rows } = result('set-clear', 50) as { rows: object[] }
  const page = (
    await makePages({ 'a.json': result('set-clear', 50, { rows: [...rows, floor] }) })
  ).developmentPage()
  const floors = page.slice(page.indexOf('<h3>Without a timer'), page.indexOf('<h2>In Node'))
  expect(floors).toContain('1 of 1 reached')
  expect(floors.replace(/<[^>]*>/g, ' ')).toMatch(/async context\s+1,000 ns\s+20 ns\s+50\.0x\s+at least 10x/)
  const without = (await makePages({ 'a.json': result('set-clear', 50) })).developmentPage()
  expect(without).not.toContain('<h3>Without a timer')
})

it('lists a figure of ours that is worse than that of native timers, and no other', async () => {
  const page = (
    await makePages({ 'a.json': result('set-clear', 50), 'b.json': result('refresh', 2000) })
  ).page()
  const losses = page.slice(page.indexOf('id="losses"'), page.indexOf('id="method"'))
  expect(losses).toContain('href="development.html#refresh"')
  expect(losses).not.toContain('href="development.html#set-clear"')
})

it('compares a row with the row that it names, to find those that are worse', async () => {
  const row = (id: string, group: string, median: number, against?: string): object => ({
    ...{ id, label: id, group, against },
    values: { atOnce: summary(median) },
  })
  const rows = [
    row('small', 'native', 10),
    row('our-small', 'addon', 8, 'small'),
    row('large', 'native', 1000),
    row('our-large', 'addon', 900, 'large'),
    row('our-slow', 'addon', 1100, 'large'),
  ]
  const page = (await makePages({ 'a.json': result('packages', 0, { rows }) })).page()
  const losses = page.slice(page.indexOf('id="losses"'), page.indexOf('id="method"'))
  expect(losses).toContain('our-slow')
  expect(losses).not.toMatch(/our-(small|large)/)
})

it('shows results of browsers with their own bars, and ignores other kinds of results', async () => {
  const bars = [{ what: 'a page', figure: '1/7', wanted: 'at most 1/5', reached: true }]
  const page = (
    await makePages({
      'a.json': result('set-clear', 50),
      'browser-set-clear.json': result('browser-set-clear', 50, {
        bars,
        browsers: { chromium: 'Chromium 1' },
      }),
      'core.json': { rows: [] },
    })
  ).developmentPage()
  expect(page).toContain('In browsers: 1 of 1 reached')
  expect(page).toContain('Chromium 1')
  expect(page).toContain('<section id="browser-set-clear">')
})

it('needs nothing else, and takes text as text', async () => {
  const { page: userPage, developmentPage } = await makePages({ 'a.json': result('set-clear', 50) })
  const page = developmentPage()
  for (const one of [userPage(), page]) expect(one).not.toMatch(/<script|<link|src=|url\(|@import/)
  expect(userPage()).toContain('native &amp; first')
  expect(page).toContain('&lt;set-clear&gt;')
  expect(page).toContain('native &amp; first')
  expect(page).toContain('it has no &quot;path&quot;')
})

it('fails where there are no results', async () => {
  const { code, stderr } = await makePages({})
  expect(code).toBe(1)
  expect(stderr).toContain('npm run bench -- full')
})

it('shows the bars on other lines of Node next to those of this one', async () => {
  mkdirSync(join(folder, 'node-24'))
  const other = (
    await makePages({
      'a.json': result('set-clear', 50),
      'node-24/a.json': result('set-clear', 150, { node: 'v24.1.2' }),
    })
  ).developmentPage()
  expect(other).toContain('1 of 1 reached')
  expect(other).toContain('On Node 24.1.2')
  // The bar there is six times.
  expect(other).not.toContain('0 of 1 reached')
  const missed = await makePages({ 'node-24/a.json': result('set-clear', 200, { node: 'v24.1.2' }) })
  expect(missed.developmentPage()).toContain('0 of 1 reached')
})

it('tells users what they save, on each line of Node and in each browser', async () => {
  mkdirSync(join(folder, 'node-24'))
  const values = (atOnce: number): object => ({ atOnce: summary(atOnce) })
  const rows = [
    { id: 'chromium-window-native', label: 'native', group: 'native', values: values(3000) },
    { id: 'chromium-window-handles', label: 'ours', group: 'wasm', values: values(100) },
  ]
  const page = (
    await makePages({
      'a.json': result('set-clear', 50),
      'node-24/a.json': result('set-clear', 250, { node: 'v24.1.2' }),
      'b.json': result('browser-set-clear', 0, { rows }),
    })
  ).page()
  const text = page.replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, ' ')
  expect(text).toMatch(
    /Native:\s+1,000 ns\s+; timeout-wheel:\s+50 ns\s+with\s+setTimeout\s+\(20 times less\)/,
  )
  expect(text).toMatch(/Node 20\s+20\.0 times\s+Node 24\s+4\.0 times\s+Chromium\s+30\.0 times/)
  expect(page).not.toContain('reached')
})
