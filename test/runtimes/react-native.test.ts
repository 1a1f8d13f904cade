/** React Native: its bundler, and its engine Hermes, without WebAssembly. No package of npm has an interpreter of today's Hermes. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute, useProject } from '../packed/installed.js'

const { TIMEOUT_WHEEL_METRO: metro, TIMEOUT_WHEEL_HERMES: hermes } = process.env
if (metro === undefined || hermes === undefined)
  throw new Error('Metro and Hermes are missing: run `npm test -- runtimes`')

const PLATFORMS: Record<string, string> = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' }
/** Returns a program of Hermes. On Windows, the ending is added. */
const programOf = (packageFolder: string, name: string): string =>
  join(hermes, packageFolder, PLATFORMS[process.platform]!, name)

const PROGRAM = `
  import { backend, clearTimeout, setTimeout, TimerWheel, TimeoutMap } from 'timeout-wheel'
  import { setTimeout as wait } from 'timeout-wheel/promises'
  import { TimerWheel as Same } from 'timeout-wheel/wasm'
  print(backend, Same === TimerWheel)
  clearTimeout(undefined)
  const uses = {
    setTimeout: () => setTimeout(() => {}, 1),
    TimerWheel: () => new TimerWheel(),
    TimeoutMap: () => new TimeoutMap({ ttl: 1 }).set(1, 1),
    promises: () => wait(1),
    register() {
      require('timeout-wheel/register')
      globalThis.setTimeout(() => {}, 1)
    },
  }
  async function main() {
    for (const [name, use] of Object.entries(uses))
      try {
        await use()
        print(name, 'throws nothing')
      } catch (error) {
        print(name, error.name, error.code, error.message)
      }
  }
  main()`

/** As `react-native bundle` does it for an app without a file of its own for Metro. React Native itself is not there. */
const BUNDLE = `
  const { mergeConfig, runBuild } = require('metro')
  const { getDefaultConfig } = require('@react-native/metro-config')
  const config = mergeConfig(getDefaultConfig(__dirname), {
    cacheStores: [],
    maxWorkers: 1,
    reporter: { update() {} },
    resolver: { useWatchman: false },
    serializer: { getModulesRunBeforeMainModule: () => [] },
    watchFolders: [__dirname],
  })
  const [entry, out] = process.argv.slice(2)
  runBuild(config, { entry, out, platform: 'android', dev: false, minify: true }).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })`

const project = useProject(({ folder }) => {
  cpSync(metro, join(folder, 'node_modules'), { recursive: true })
  writeFileSync(join(folder, 'index.js'), PROGRAM)
  writeFileSync(join(folder, 'bundle.cjs'), BUNDLE)
})
const run = (program: string, ...args: string[]) => execute(program, args, project.folder)

// There is no Hermes for Linux on arm64.
const describeHere = process.platform === 'linux' && process.arch !== 'x64' ? describe.skip : describe

describeHere('React Native (Hermes): ERR_WASM_BACKEND', () => {
  beforeAll(async () => {
    const { code, stderr } = await run(process.execPath, 'bundle.cjs', 'index.js', 'bundle.js')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('throws at the first timer, and not at the import; register leaves the timers of the app in place', async () => {
    const { code, stdout, stderr } = await run(programOf('hermes-engine-cli', 'hermes'), '-w', 'bundle.js')
    const message =
      "timeout-wheel needs WebAssembly: Property 'WebAssembly' doesn't exist. " +
      "A Content-Security-Policy needs 'wasm-unsafe-eval' in script-src"
    const lines = [
      ...['setTimeout', 'TimerWheel', 'TimeoutMap', 'promises'].map(
        (name) => `${name} WasmBackendError ERR_WASM_BACKEND ${message}`,
      ),
      `timeout-wheel/register leaves the timers of the page in place: ${message}`,
      'register throws nothing',
    ]
    expect({ code, lines: stdout.trimEnd().split('\n'), stderr }).toEqual({
      code: 0,
      lines: ['wasm true', ...lines],
      stderr: '',
    })
  })

  it('compiles with the compiler of React Native 0.88', async () => {
    const args = ['-emit-binary', '-O', '-w', '-out', 'bundle.hbc', 'bundle.js']
    const outcome = await run(programOf('hermes-compiler/hermesc', 'hermesc'), ...args)
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
