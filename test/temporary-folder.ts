import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a folder, which is removed after the tests of the file: with the run if the process of the file is killed. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(process.env.TIMEOUT_WHEEL_RUN_FOLDER ?? tmpdir(), 'timeout-wheel-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
