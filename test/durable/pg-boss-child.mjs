/** node pg-boss-child.mjs <loader of pg-boss> <url> <code>: sends two jobs by the code of the document, and writes which ran. */
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import * as timers from 'timeout-wheel'

const [loader, url, code] = process.argv.slice(2)
const { PgBoss } = await (await import(pathToFileURL(loader).href)).load('pg-boss')
const boss = new PgBoss(url)
boss.on('error', console.error)
await boss.start()
await boss.createQueue('reminders')

const ran = []
let isEarly = false
const remind = async (jobs) => {
  for (const { data } of jobs) {
    ran.push(data.text)
    if (Date.now() < data.due) isEarly = true
  }
}
const AsyncFunction = (async () => {}).constructor
const body = `${code.replace(/^import .*$/gm, '')}\nreturn sendAt`
const sendAt = await AsyncFunction('boss', 'setTimeout', 'remind', body)(boss, timers.setTimeout, remind)
for (const [text, delay] of Object.entries({ second: 1_500, first: 700 })) {
  const due = Date.now() + delay
  await sendAt(new Date(due), { text, due })
}
for (let i = 0; i < 200 && ran.length < 2; i++) await sleep(50)
console.log(JSON.stringify({ ran, isEarly }))
await boss.stop({ graceful: false })
