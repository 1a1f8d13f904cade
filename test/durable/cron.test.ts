/** Cron expressions when the clock of a time zone changes, with the oldest and the newest croner that package.json allows. */
import { jest } from '@jest/globals'
import { AGES, peer } from './helpers.js'

const QUARTER = 900_000
const HOURS = 30
/** Time zones, and times a few hours before their clocks change: backwards by one hour and by half an hour, and forwards. */
const CHANGES = [
  ['America/New_York', '2026-10-31T20:00Z'],
  ['Europe/Berlin', '2026-10-24T12:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T00:00Z'],
  ['Europe/Berlin', '2027-03-27T12:00Z'],
] as const

type Durable = typeof import('timeout-wheel/durable')

/** Runs timers with these expressions, and returns their due times. */
async function runAll(
  { DurableTimers, manualClock }: Durable,
  crons: readonly string[],
  timeZone: string,
  from: number,
): Promise<number[][]> {
  const timers = await DurableTimers.open(':memory:', { clock: manualClock(from) })
  const runs = crons.map((): number[] => [])
  timers.on('a', ({ key, due }) => void runs[Number(key)]!.push(due.getTime()))
  await timers.setMany(
    'a',
    crons.map((cron, i) => ({ key: `${i}`, cron, timeZone })),
  )
  for (let i = 0; i < HOURS * 4; i++) await timers.advance(QUARTER)
  await timers.close()
  return runs
}

it.each(AGES)('runs once in each interval, and once a day, with the %s croner', async (age) => {
  const croner = await peer('croner', age)
  jest.resetModules()
  jest.doMock('croner', () => jest.requireActual(croner))
  const durable = require('timeout-wheel/durable') as Durable
  for (const [timeZone, start] of CHANGES) {
    const from = Date.parse(start)
    const [quarters, nightly] = await runAll(durable, ['*/15 * * * *', '30 2 * * *'], timeZone, from)
    const all = Array.from({ length: HOURS * 4 }, (_, i) => from + (i + 1) * QUARTER)
    expect([timeZone, quarters]).toEqual([timeZone, all])
    const days = nightly!.map((time) => new Date(time).toLocaleDateString('en', { timeZone }))
    expect([timeZone, days.length]).toEqual([timeZone, new Set(days).size])
    expect(days.length).toBeGreaterThan(0)
  }
})
