/** node reminders-child.mjs <folder> [url]: uses docs/examples/reminders in Chromium while its servers are killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { launch } from '../../.tooling/browsers/index.mjs'
import { start } from '../../.tooling/child.cjs'

const [folder, url] = process.argv.slice(2)
const file = fileURLToPath(new URL('../../docs/examples/reminders/server.mjs', import.meta.url))

async function serve(port) {
  const database = url === undefined ? {} : { DATABASE_URL: url }
  const env = { ...process.env, FOLDER: folder, PORT: `${port}`, LEASE: '1000', ...database }
  const child = start(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'], limit: 170_000 })
  const [line] = await new Promise((resolve) =>
    child.process.stdout.once('data', (text) => resolve(`${text}`.split('\n'))),
  )
  const kill = async () => {
    child.process.kill('SIGKILL')
    await child.ended
  }
  return { address: line, port: new URL(line).port, kill }
}

const browser = await launch('chromium')
let page

/** Fills the form, as a user does, and waits until the reminder is stored. */
async function remind(text, seconds) {
  await page.type('[name=text]', text)
  await page.$eval('[name=seconds]', (input, value) => (input.value = value), seconds)
  await page.click('form button')
  await page.waitForFunction(() => document.querySelector('[name=text]').value === '')
}
const listed = (id) =>
  page.$$eval(`#${id} li span:first-child`, (all) => all.map(({ textContent }) => textContent))
/** Without a limit of its own: that of this process ends it. */
async function untilArrived(text) {
  while (!(await listed('arrived')).includes(text)) await sleep(50)
}

const first = await serve(0)
page = await browser.open(first.address)
await remind('at once', 0)
await untilArrived('at once')
await remind('cleared', 600)
await page.waitForSelector('#waiting button')
await page.click('#waiting button')
await page.waitForFunction(() => document.querySelectorAll('#waiting li').length === 0)
await remind('after a kill', 2)
await first.kill()
let last
if (url === undefined) last = await serve(first.port)
else {
  // Another server runs what the first one held. It is started before that is due.
  last = await serve(0)
  page = await browser.open(last.address)
}
await untilArrived('after a kill')
await page.waitForFunction(() => document.querySelectorAll('#waiting li').length === 0)
console.log(JSON.stringify({ arrived: (await listed('arrived')).sort(), waiting: await listed('waiting') }))
await last.kill()
await browser.close()
