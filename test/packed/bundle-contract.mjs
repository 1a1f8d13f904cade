/** `node bundle-contract.mjs <file>` bundles test/contract for a Worker. A process, because Jest loads no ES modules of Node. */
import { writeFileSync } from 'node:fs'
import { bundleContract, SPECS } from '../browser/contract/bundle.mjs'
import { leftOutOn } from '../browser/contract/left-out.mjs'

const OMITTED = [
  // Sets the budget of the shared wheel, and workerd has none.
  'configure',
]

const unknown = OMITTED.filter((name) => !SPECS.includes(name))
if (unknown.length > 0) throw new Error(`there is no specification ${unknown.join(', ')}`)
const specs = SPECS.filter((name) => !OMITTED.includes(name))
writeFileSync(process.argv[2], await bundleContract(specs, 'timeout-wheel', leftOutOn('workerd')))
