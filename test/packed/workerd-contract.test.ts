/** The contract holds for a wheel that a request makes on workerd. */
import { join } from 'node:path'
import { outputOf } from '../../.tooling/child.cjs'
import { useProject } from './installed.js'
import { WorkerdServer } from './workerd-server.js'

const BUNDLER = join(__dirname, 'bundle-contract.mjs')

const project = useProject()
let server: WorkerdServer
beforeAll(async () => {
  const file = join(project.folder, 'bundled-contract.mjs')
  await outputOf(process.execPath, [BUNDLER, file], { limit: 60_000 })
  server = await WorkerdServer.start(project, 'contract.mjs')
})
afterAll(() => server?.close())

it('passes the specifications of the contract', async () => {
  const outcomes = (await server.ask('')) as { spec: string; name: string; failure?: string }[]
  const failed = outcomes.filter(({ failure }) => failure !== undefined)
  expect(failed.map(({ spec, name, failure }) => `${spec}: ${name}\n${failure}`)).toEqual([])
  expect(outcomes.length).toBeGreaterThan(200)
})
