/**
 * Searches for an order of `CHARACTERS` in pack.mjs that makes the compressed package smaller: simulated annealing, in which two
 * characters change places at each step.
 *
 *   node .tooling/characters.mjs [SECONDS]    after a build
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { CHARACTERS, pack } from './pack.mjs'
import { minifiedPackage } from './size.mjs'
import { root } from './step.mjs'

/** Bytes by which a step may make the package larger, at first. */
const TOLERANCE = 1.2

const seconds = Number(process.argv[2] ?? 60)
const bytes = readFileSync(join(root, 'dist/workerd/timeout_wheel.wasm'))
const escaped = (text) => text.replaceAll('\\', '\\\\')

/** The package around the two strings that `pack` makes. */
function surroundings(code) {
  const { text, alphabet } = pack(bytes)
  const parts = code.split(alphabet).flatMap((part) => part.split(escaped(text)))
  if (parts.length !== 3) throw new Error('the package does not contain the packed bytes: build it first')
  return parts
}

const [head, middle, tail] = surroundings(await minifiedPackage())

function sizeWith(characters) {
  const { text, alphabet } = pack(bytes, characters)
  return gzipSync(head + alphabet + middle + escaped(text) + tail, { level: 9 }).length
}

function exchangeTwo(characters) {
  const next = [...characters]
  const [i, j] = [0, 0].map(() => Math.floor(Math.random() * next.length))
  next[i] = characters[j]
  next[j] = characters[i]
  return next.join('')
}

let present = CHARACTERS
let size = sizeWith(present)
let best = present
let least = size
console.log(`now ${size} bytes`)
const started = performance.now()
for (;;) {
  const left = 1 - (performance.now() - started) / 1000 / seconds
  if (left < 0) break
  const next = exchangeTwo(present)
  const nextSize = sizeWith(next)
  if (nextSize - size > -Math.log(Math.random()) * TOLERANCE * left) continue
  present = next
  size = nextSize
  if (size < least) {
    least = size
    best = present
  }
}
console.log(`best ${least} bytes:\n${best}`)
