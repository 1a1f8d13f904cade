/** The engine under test. */
import { ENGINES } from '../../.tooling/browsers/index.mjs'

export const ENGINE = process.env.TIMEOUT_WHEEL_ENGINE ?? ENGINES[0]

/** Describes a group of tests that only some engines can run. On other engines it is skipped, with the reason. */
export function describeOn(engines, name, reason, body) {
  if (engines.includes(ENGINE)) describe(name, body)
  else describe.skip(`${name} (not on ${ENGINE}: ${reason})`, body)
}
