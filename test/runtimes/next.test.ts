/** A server of Next.js with `output: 'standalone'` runs from a copy, without node_modules. Its route and its page import the package. */
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from '../../.tooling/child.cjs'
import { execute, useProject } from '../packed/installed.js'

const next = process.env.TIMEOUT_WHEEL_NEXT
if (next === undefined) throw new Error('Next.js is missing: run `npm test -- runtimes`')
/** The version is part of the table, because the next one can bundle in another way. */
const { version } = JSON.parse(readFileSync(join(next, 'next/package.json'), 'utf8'))

const FILES: Record<string, string> = {
  'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
  'app/page.js': `
    import { backend } from 'timeout-wheel'
    import { setTimeout } from 'timeout-wheel/promises'
    export const dynamic = 'force-dynamic'
    export default async () => 'ran on ' + await setTimeout(1, backend)`,
  'app/timers/route.js': `
    import { backend, setTimeout } from 'timeout-wheel'
    export const dynamic = 'force-dynamic'
    export const GET = () => new Promise((resolve) => setTimeout(() => resolve(new Response('ran on ' + backend)), 1))`,
}
/** Not the variables of Jest, at which Next.js warns. */
const ENV = {
  ...{ NODE_ENV: undefined, NODE_OPTIONS: '', TIMEOUT_WHEEL_BACKEND: undefined },
  ...{ NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
}

const project = useProject(({ folder }) => {
  cpSync(next, join(folder, 'node_modules'), { recursive: true })
  mkdirSync(join(folder, 'app/timers'), { recursive: true })
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text)
})

/** Builds the server, and returns the folder to which it is moved. */
async function build(options: string[], config: object): Promise<string> {
  const text = `export default ${JSON.stringify({ output: 'standalone', ...config })}`
  writeFileSync(join(project.folder, 'next.config.mjs'), text)
  const args = ['node_modules/next/dist/bin/next', 'build', ...options]
  const { code, stdout, stderr } = await execute(process.execPath, args, project.folder, ENV, 240_000)
  expect({ code, output: code === 0 ? stderr : stdout + stderr }).toEqual({ code: 0, output: '' })
  expect(stdout).not.toMatch(/warn|timeout-wheel/i)
  const moved = mkdtempSync(join(dirname(project.folder), 'standalone-'))
  renameSync(join(project.folder, '.next/standalone'), join(moved, 'server'))
  rmSync(join(project.folder, '.next'), { recursive: true })
  return join(moved, 'server')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts the server, and returns what the paths answer and what it has written to standard error. */
async function ask(folder: string, paths: string[]): Promise<{ answers: string[]; stderr: string }> {
  const port = await freePort()
  const env = { ...process.env, ...ENV, PORT: `${port}`, HOSTNAME: '127.0.0.1' }
  const server = start(process.execPath, ['server.js'], { cwd: folder, env, limit: 60_000 })
  let stderr = ''
  server.process.stdout!.resume()
  server.process.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const textOf = async (path: string): Promise<string> => {
    const headers = { connection: 'close' }
    for (;;)
      try {
        return await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text()
      } catch (error) {
        const { exitCode, signalCode } = server.process
        if (exitCode !== null || signalCode !== null)
          throw new Error(`no server: ${stderr}`, { cause: error })
        await sleep(50)
      }
  }
  try {
    const answers: string[] = []
    for (const path of paths) answers.push(/ran on \w+/.exec(await textOf(path))?.[0] ?? 'no answer')
    return { answers, stderr }
  } finally {
    await server.end()
  }
}

const EXTERNAL = { serverExternalPackages: ['timeout-wheel'] }
const CASES: [how: string, backend: string, options: string[], config: object][] = [
  ['Turbopack, bundled', 'native', [], {}],
  ['Turbopack, external', 'native', [], EXTERNAL],
  // It puts the address of a page in the place of the addon's path, and the path of the build in the place of the package's.
  ['webpack, bundled', 'wasm', ['--webpack'], {}],
  ['webpack, external', 'native', ['--webpack'], EXTERNAL],
]

describe.each(CASES)(`Next.js ${version}, %s: %s`, (_, backend, options, config) => {
  it('runs timers in a route and in a page, without noise', async () => {
    const server = await build(options, config)
    const away = `${project.folder}-away`
    // A bundle can have the path of the package's folder.
    renameSync(project.folder, away)
    try {
      const answer = `ran on ${backend}`
      expect(await ask(server, ['/timers', '/'])).toEqual({ answers: [answer, answer], stderr: '' })
    } finally {
      renameSync(away, project.folder)
    }
  }, 300_000)
})
