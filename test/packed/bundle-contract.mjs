/**
 * Bundles the specifications of test/contract for a Worker: `node bundle-contract.mjs <file>`. A process of its own, because Jest does
 * not load ES modules of Node.
 */
import { writeFileSync } from 'node:fs'
import { bundleContract, SPECS } from '../browser/contract/bundle.mjs'
import { leftOutOn } from '../browser/contract/left-out.mjs'

const LONG = 'takes seconds, and tests nothing that workerd has of its own'
const OMITTED = {
  burst: 'reads a file of a page',
  configure: 'sets the budget of the shared wheel, and workerd has none',
  'timeout-error': 'compares with the text of the error of the host, which is another than that of V8',
  'clear-wheel': LONG,
  'fine-ticks': LONG,
  'group-model': LONG,
  groups: LONG,
  'groups-within-ticks': LONG,
  inheriting: LONG,
  interrupted: LONG,
  'interrupted-maps': LONG,
  'long-delays': LONG,
  'many-wheels': LONG,
  model: LONG,
  signals: LONG,
  stats: LONG,
  'timeout-map-model': LONG,
  trim: LONG,
}

const unknown = Object.keys(OMITTED).filter((name) => !SPECS.includes(name))
if (unknown.length > 0) throw new Error(`there is no specification ${unknown.join(', ')}`)
const specs = SPECS.filter((name) => !Object.hasOwn(OMITTED, name))
writeFileSync(process.argv[2], await bundleContract(specs, 'timeout-wheel', leftOutOn('workerd')))
