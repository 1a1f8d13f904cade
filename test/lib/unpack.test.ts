import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { alphabet, wasmText } from '../../lib/generated/wasm-bytes.js'
import { unpack } from '../../lib/memory/unpack.js'

const ROOT = join(__dirname, '../..')
/** Printable, and nothing that begins a substitution, ends a script, or most strings. */
const SAFE = /^(?:(?!["`$<])[\x20-\x7e])+$/

it('gives back the bytes of the module that the package ships', () => {
  const shipped = readFileSync(join(ROOT, 'dist/workerd/timeout_wheel.wasm'))
  expect(Buffer.compare(shipped, unpack(wasmText, alphabet))).toBe(0)
  expect(wasmText + alphabet).toMatch(SAFE)
})

it('gives back every byte, whether it has a character of its own or two', () => {
  const program = `
    import { pack } from './.tooling/pack.mjs'
    const bytes = Uint8Array.from({ length: 1024 }, (_, i) => (i % 4 ? i : i >> 4))
    process.stdout.write(JSON.stringify({ bytes: [...bytes], ...pack(bytes) }))`
  const { bytes, text, alphabet } = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, encoding: 'utf8' }),
  )
  expect([...unpack(text, alphabet)]).toEqual(bytes)
  expect(text + alphabet).toMatch(SAFE)
})
