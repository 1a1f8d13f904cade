/** The packed tarball, installed by each package manager: without a registry, a compiler or a script of a package. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execute, TARBALL, useProject } from '../packed/installed.js'
import { temporaryFolder } from '../temporary-folder.js'

const variable = process.env.TIMEOUT_WHEEL_MANAGERS
if (variable === undefined) throw new Error('the package managers are missing: run `npm test -- runtimes`')
/** The path of each manager's file by its name. .tooling/runtimes.mjs installs them. */
const managers: Record<string, string> = JSON.parse(variable)

const NOWHERE = 'http://127.0.0.1:9'
/** Without compilers, and with no scripts of packages. Yarn 4 has no options for that. */
const ENVIRONMENT = {
  ...{ PATH: dirname(process.execPath), CI: undefined },
  ...{ npm_config_registry: NOWHERE, YARN_REGISTRY: NOWHERE, YARN_NPM_REGISTRY_SERVER: NOWHERE },
  ...{ YARN_ENABLE_NETWORK: '0', YARN_ENABLE_SCRIPTS: '0', YARN_ENABLE_TELEMETRY: '0' },
}
const PROGRAM = `
  import { backend, setTimeout } from 'timeout-wheel'
  import { setTimeout as wait } from 'timeout-wheel/promises'
  setTimeout(async () => console.log('ran', await wait(1, backend)), 1)`

const project = useProject()
const folder = temporaryFolder()

describe.each(Object.entries(managers))('installed by %s: native', (name, file) => {
  const own = join(folder, name)
  const manager = file.includes('bun') ? [file] : [process.execPath, file]
  /** Yarn 4 makes no node_modules: its own commands find packages, which it keeps in archives, or beside them if they have an addon. */
  const hasFolder = name !== 'Yarn 4'
  const runs = ([program, ...args]: string[], more: NodeJS.ProcessEnv = {}) =>
    execute(program!, args, own, { ...ENVIRONMENT, HOME: own, ...more })

  it('the addon runs, and doctor finds nothing to mend', async () => {
    mkdirSync(own)
    copyFileSync(join(project.folder, TARBALL), join(own, TARBALL))
    const dependencies = { 'timeout-wheel': `file:./${TARBALL}` }
    writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'a-user', private: true, dependencies }))
    writeFileSync(join(own, 'yarn.lock'), '')
    writeFileSync(join(own, 'program.mjs'), PROGRAM)
    const options = hasFolder ? ['--ignore-scripts'] : []
    expect(await runs([...manager, 'install', ...options])).toMatchObject({ code: 0 })
    const [node, doctor] = hasFolder
      ? [[process.execPath], [process.execPath, 'node_modules/timeout-wheel/dist/cli.mjs']]
      : [
          [...manager, 'node'],
          [...manager, 'timeout-wheel'],
        ]
    expect(await runs([...node!, 'program.mjs'])).toEqual({ code: 0, stdout: 'ran native\n', stderr: '' })
    const stdout = expect.stringMatching(/^backend: native\nthe best backend for this platform runs\n$/m)
    expect(await runs([...doctor!, 'doctor'])).toEqual({ code: 0, stdout, stderr: '' })
  })
})
