/** Places and processes of the tests of the tools. */
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { it } from '@jest/globals'
import { temporaryFolder } from '../temporary-folder.js'

const ROOT = join(__dirname, '../..')
const COPIED = ['.tooling', 'test/mutants', 'package.json', 'jest.config.mjs']

/** A copy of the tools in which nothing is built, until the tests of the file have run. */
export class Workspace {
  readonly folder = temporaryFolder()

  constructor() {
    for (const name of COPIED) fs.cpSync(join(ROOT, name), join(this.folder, name), { recursive: true })
    fs.symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'))
    for (const name of ['.tooling/build.mjs', 'build/virtual-clock/virtual_clock.so']) this.write(name, '')
  }

  write(name: string, text: string, mode = 0o644): string {
    const file = join(this.folder, name)
    fs.mkdirSync(dirname(file), { recursive: true })
    fs.writeFileSync(file, text, { mode })
    return file
  }
}

/** The tests find processes in /proc. */
export const itOnLinux = process.platform === 'linux' ? it : it.skip

/** A variable by which a test finds its processes. */
export const MARK = 'TIMEOUT_WHEEL_TEST_MARK'

export interface Found {
  readonly id: number
  readonly words: string[]
}

/** The processes whose environment has this mark. */
function processesOf(mark: string): Found[] {
  const ids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.flatMap((id) => {
    try {
      const [variables, words] = ['environ', 'cmdline'].map((name) =>
        fs.readFileSync(`/proc/${id}/${name}`, 'utf8').split('\0').slice(0, -1),
      )
      return variables!.includes(`${MARK}=${mark}`) ? [{ id: Number(id), words: words! }] : []
    } catch {
      return [] // It has ended.
    }
  })
}

/** Waits until the processes of a mark are as wanted, for at most 20 s. Returns them. */
export async function untilProcesses(mark: string, isWanted: (found: Found[]) => boolean): Promise<Found[]> {
  for (const end = Date.now() + 20_000; ; await sleep(20)) {
    const found = processesOf(mark)
    if (isWanted(found) || Date.now() > end) return found
  }
}

export const isNone = (found: Found[]): boolean => found.length === 0
