import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { unpack } from '../../lib/backend/unpack.js'
import { wasmBytes } from '../../lib/generated/wasm-bytes.js'

it('gives back the bytes of the module that the package ships', () => {
  const shipped = readFileSync(join(__dirname, '../../dist/workerd/timeout_wheel.wasm'))
  expect(Buffer.compare(shipped, unpack(wasmBytes))).toBe(0)
  expect(wasmBytes).toMatch(/^[\x20-\x7e]+$/)
})
