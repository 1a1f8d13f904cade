import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../../.tooling/child.cjs'
import { alphabet, wasmText } from '../../lib/generated/wasm-bytes.js'
import { unpack } from '../../lib/memory/instantiate-wasm.js'

const ROOT = join(__dirname, '../..')
/** Printable characters, except those that begin a substitution or end a script or most strings. */
const SAFE = /^(?:(?!["`$<])[\x20-\x7e])+$/

it('unpacks the module that the package ships', () => {
  const shipped = readFileSync(join(ROOT, 'dist/workerd/timeout_wheel.wasm'))
  expect(Buffer.compare(shipped, unpack(wasmText, alphabet))).toBe(0)
  expect(wasmText + alphabet).toMatch(SAFE)
})

it('unpacks every byte, whether one or two characters encode it', async () => {
  const program = `
    import { pack } from './.tooling/pack.mjs'
    const bytes = Uint8Array.from({ length: 1024 }, (_, i) => (i % 4 ? i : i >> 4))
    process.stdout.write(JSON.stringify({ bytes: [...bytes], ...pack(bytes) }))`
  const { bytes, text, alphabet } = JSON.parse(
    await outputOf(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, limit: 60_000 }),
  )
  expect([...unpack(text, alphabet)]).toEqual(bytes)
  expect(text + alphabet).toMatch(SAFE)
})
