/** `db` in transactions of ORMs, and a store on postgres.js, by the recipe of docs/durable.md. The suite `durable` starts the server. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { outputOf } from '../../.tooling/child.cjs'
import { samplesOf } from '../docs/samples.js'
import { newDatabase } from './database.js'

const { TIMEOUT_WHEEL_POSTGRES: url, TIMEOUT_WHEEL_ORMS: loader } = process.env
const onServer = url === undefined || loader === undefined ? it.skip : it

onServer('stores timers in transactions of Knex, Kysely, postgres.js, Prisma and Drizzle', async () => {
  const database = await newDatabase()
  const { code } = samplesOf('docs/durable.md').find((sample) => sample.code.includes('ofDrizzle'))!
  const args = ['--no-warnings', join(__dirname, 'orms-child.mjs'), loader!, database.url!, code]
  const text = await outputOf(process.execPath, args, { limit: 60_000 })
  const stored = [true, 'committed', "it's $1 ?"]
  const all = ['ofKnex', 'ofKysely', 'ofPostgresJs', 'ofPrisma', 'ofDrizzle'].map((name) => [name, stored])
  expect(JSON.parse(text)).toEqual({ ...Object.fromEntries(all), told: 'ran' })
  await database.close()
})
