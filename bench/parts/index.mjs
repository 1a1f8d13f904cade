import { browserParts } from './browser.mjs'
import burst from './burst.mjs'
import cliffs from './cliffs.mjs'
import core from './core.mjs'
import { signals, withTimeout } from './deadlines.mjs'
import distinct from './distinct.mjs'
import durableBurst from './durable-burst.mjs'
import durableCapacity from './durable-capacity.mjs'
import durableHealth from './durable-health.mjs'
import { durableNames, durableTransactions } from './durable-neighbours.mjs'
import durablePunctuality from './durable-punctuality.mjs'
import durableRecovery from './durable-recovery.mjs'
import durableScale from './durable-scale.mjs'
import early from './early.mjs'
import { few, fineChain, idle, wakeUps } from './few.mjs'
import garbage from './garbage.mjs'
import { groups, smallGroups } from './groups.mjs'
import growth from './growth.mjs'
import { hold, tenMillion } from './hold.mjs'
import imports from './import.mjs'
import instructions from './instructions.mjs'
import packages from './packages.mjs'
import path from './path.mjs'
import precision from './precision.mjs'
import promises from './promises.mjs'
import refresh from './refresh.mjs'
import register from './register.mjs'
import scale from './scale.mjs'
import { service, service1000, service10000 } from './service.mjs'
import setClear from './set-clear.mjs'
import setFire from './set-fire.mjs'
import timeoutMap from './timeout-map.mjs'
import turns from './turns.mjs'

/** The parts of `npm run bench`, which measures no rivals. */
export const shortParts = [turns, setClear, refresh, hold, setFire, packages, service]

/** The parts of `npm run bench -- full`. */
export const fullParts = [
  ...[turns, setClear, distinct, refresh, setFire, hold, tenMillion, garbage, burst, idle, precision, early],
  ...[fineChain, groups, smallGroups, timeoutMap, signals, withTimeout],
  ...[growth, scale, imports, register, few, wakeUps, promises, packages, service, service1000, service10000],
]

/** The parts that `--record` measures. Others that documents show take minutes, and are recorded by name. */
export const recordedParts = [
  ...[turns, setClear, distinct, refresh, setFire, hold, burst, early, precision, groups],
  ...[timeoutMap, signals, imports, register, few, packages, service],
]

/** In the order in which they are measured. */
const durableParts = [
  ...[durableCapacity, durablePunctuality, durableBurst],
  ...[durableNames, durableTransactions],
  ...[durableRecovery, durableScale, durableHealth],
]

/** All parts. Those that are measured only if they are named come last. */
export const parts = [...fullParts, ...browserParts, ...durableParts, cliffs, core, instructions, path]

export const families = { browser: browserParts, durable: durableParts }
