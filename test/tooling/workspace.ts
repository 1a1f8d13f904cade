/** A copy of the tools in which tests replace parts, with programs that only sleep in place of slow ones. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = join(__dirname, '../..')
const COPIED = ['.tooling', 'test/mutants', 'package.json', 'jest.config.mjs']

export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-tooling-'))

  constructor() {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'))
  }

  write(name: string, text: string, mode = 0o644): string {
    const file = join(this.folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode })
    return file
  }

  /** Writes a program that sleeps, and starts another one that sleeps. */
  writeSleeper(name: string): string {
    return this.write(name, '#!/bin/sh\n/bin/sleep 300 &\nexec /bin/sleep 300\n', 0o755)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A variable by which a test finds its processes. */
export const MARK = 'TIMEOUT_WHEEL_TEST_MARK'

export interface Found {
  readonly id: number
  readonly words: string[]
}

/** The processes whose environment has this mark. It needs Linux. */
export function processesOf(mark: string): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        if (!readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(`${MARK}=${mark}`)) return []
        return [
          { id: Number(id), words: readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').slice(0, -1) },
        ]
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
