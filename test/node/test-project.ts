/** A folder in which the package is installed, for Jest and other test tools. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.js'
import { type Outcome, ROOT, runNode } from './child.js'

export interface TestProject {
  readonly folder: string
  /** @param testMatch the pattern of the test files @param config options of Jest's configuration */
  runJest(testMatch: string, config: object, env: NodeJS.ProcessEnv, ...options: string[]): Promise<Outcome>
}

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
  }
}

/** A test of Jest or Vitest for a program with `register`. @param fake the statement that begins to fake timers */
export const registerTest = (tool: string, title: string, fake: string): string => `
  test('has ours, fakes them, and has them again: ${title}', async () => {
    const real = setTimeout
    expect(real(() => {}, 1)).toHaveProperty('remaining')
    ${fake}
    expect(setTimeout).not.toBe(real)
    ${tool}.spyOn(globalThis, 'setTimeout')
    const ran = ${tool}.fn()
    setTimeout(ran, 60_000)
    expect(setTimeout).toHaveBeenCalledTimes(1)
    setInterval(ran, 25_000)
    clearTimeout(setTimeout(ran, 5))
    ${tool}.advanceTimersByTime(60_000)
    expect(ran).toHaveBeenCalledTimes(3)
    ${tool}.clearAllTimers()
    ${tool}.restoreAllMocks()
    ${tool}.useRealTimers()
    expect(setTimeout).toBe(real)
    await new Promise((resolve) => setTimeout(resolve, 5))
  })`
