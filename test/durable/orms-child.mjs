/**
 * node orms-child.mjs <loader of ORMs> <url> <code>: sets timers in transactions of each ORM by the code of the document, of which one is
 * rolled back, and opens a store on postgres.js. Writes which timers there are then.
 */
import { pathToFileURL } from 'node:url'
import { DurableTimers, postgres } from 'timeout-wheel/durable'

const [loader, url, code] = process.argv.slice(2)
const { load } = await import(pathToFileURL(loader).href)
const [pg, drizzle, { drizzle: drizzleOf }, knexOf, kysely, postgresJs, { PrismaPg }, { default: client }] =
  await Promise.all(
    [
      ...['pg', 'drizzle-orm', 'drizzle-orm/node-postgres', 'knex', 'kysely', 'postgres'],
      ...['@prisma/adapter-pg', '@prisma/client'],
    ].map(load),
  )
const names = ['ofKnex', 'ofKysely', 'ofPostgresJs', 'ofPrisma', 'ofDrizzle']
const body = `${code.replace(/^import .*$/gm, '')}\nreturn { ${names} }`
const of = Function('sql', 'CompiledQuery', body)(drizzle.sql, kysely.CompiledQuery)

const pool = new pg.default.Pool({ connectionString: url })
const knex = knexOf.default({ client: 'pg', connection: url })
const withKysely = new kysely.Kysely({ dialect: new kysely.PostgresDialect({ pool }) })
const sql = postgresJs.default(url, { onnotice() {} })
const prisma = new client.PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
const transactions = {
  ofKnex: (work) => knex.transaction(work),
  ofKysely: (work) => withKysely.transaction().execute(work),
  ofPostgresJs: (work) => sql.begin(work),
  ofPrisma: (work) => prisma.$transaction(work),
  ofDrizzle: (work) => drizzleOf(pool).transaction(work),
}

const timers = await DurableTimers.open(postgres({ ...of.ofPostgresJs(sql), listen: sql.listen }))
const other = await DurableTimers.open(postgres(pool))
const found = {}
for (const [name, transaction] of Object.entries(transactions)) {
  const set = (key, end) =>
    transaction(async (tx) => {
      await timers.set(name, { key, delay: 1e6, data: "it's $1 ?", db: of[name](tx) })
      end()
    })
  await set('committed', () => {})
  const isRolledBack = await set('rolled back', () => {
    throw new Error('no')
  }).catch(({ message }) => message === 'no')
  found[name] = [isRolledBack]
  for await (const { key, data } of timers.list({ name })) found[name].push(key, data)
}
const ran = new Promise((resolve) => timers.on('told', ({ data }) => resolve(data)))
await other.set('told', { delay: 30, data: 'ran' })
console.log(JSON.stringify({ ...found, told: await ran }))
process.exit()
