/** The engine that this run is about. */
import { describe } from '@jest/globals'
import { ENGINES } from '../../.tooling/browsers/index.mjs'

export const ENGINE = process.env.TIMEOUT_WHEEL_ENGINE ?? ENGINES[0]

/** A group of tests that only some engines have the means for. The others show it as skipped, with the reason. */
export function describeOn(engines, name, reason, body) {
  if (engines.includes(ENGINE)) describe(name, body)
  else describe.skip(`${name} (not on ${ENGINE}: ${reason})`, body)
}
