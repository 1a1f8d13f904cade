/** A folder in which the package is installed, and Jest in it. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.js'
import { type Outcome, ROOT, runNode } from './child.js'

export interface JestProject {
  readonly folder: string
  /** @param testMatch the pattern of the test files @param config options of Jest's configuration */
  run(testMatch: string, config: object, env: NodeJS.ProcessEnv, ...options: string[]): Promise<Outcome>
}

/** Makes the folder, which is removed after the tests of the file. */
export function jestProject(): JestProject {
  const folder = temporaryFolder()
  for (const file of ['package.json', 'dist', 'prebuilds'])
    cpSync(join(ROOT, file), join(folder, 'node_modules/timeout-wheel', file), { recursive: true })
  return {
    folder,
    run: (testMatch, config, env, ...options) => {
      const how = { rootDir: folder, testMatch: [testMatch], transform: {}, ...config }
      const jest = join(ROOT, 'node_modules/jest/bin/jest.js')
      const args = [jest, ...options, '--runInBand', '--config', JSON.stringify(how)]
      return runNode(args, { NODE_OPTIONS: '', ...env })
    },
  }
}
