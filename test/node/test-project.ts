/** A folder in which the package is installed, for Jest and Vitest. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.js'
import { type Outcome, ROOT, run, runNode } from './child.js'

export interface TestProject {
  readonly folder: string
  /** @param testMatch the pattern of the test files @param config options of Jest's configuration */
  runJest(testMatch: string, config: object, env: NodeJS.ProcessEnv, ...options: string[]): Promise<Outcome>
  /** @param file the test file @param setupFile the entry of the package that is loaded first */
  runVitest(file: string, setupFile: string, env: NodeJS.ProcessEnv): Promise<Outcome>
}

const INSTALL = `import { installed } from './.tooling/runtimes.mjs'
  console.log(await installed('vitest', 'vitest@3.2.7'))`

/** Makes the folder, which is removed after the tests of the file. */
export function testProject(): TestProject {
  const folder = temporaryFolder()
  for (const file of ['package.json', 'dist', 'prebuilds'])
    cpSync(join(ROOT, file), join(folder, 'node_modules/timeout-wheel', file), { recursive: true })
  return {
    folder,
    runJest: (testMatch, config, env, ...options) => {
      const how = { rootDir: folder, testMatch: [testMatch], transform: {}, ...config }
      const jest = join(ROOT, 'node_modules/jest/bin/jest.js')
      const args = [jest, ...options, '--runInBand', '--config', JSON.stringify(how)]
      return runNode(args, { NODE_OPTIONS: '', ...env })
    },
    async runVitest(file, setupFile, env) {
      const vitest = join((await run(INSTALL)).lines.at(-1)!, 'vitest/vitest.mjs')
      const config = join(folder, 'vitest.config.mjs')
      writeFileSync(config, `export default { test: { setupFiles: ['${setupFile}'] } }`)
      return runNode([vitest, 'run', '--root', folder, '--config', config, file], {
        NODE_OPTIONS: '',
        ...env,
      })
    },
  }
}
