/** `node bundle-contract.mjs <file>` bundles test/contract for a Worker. A process, because Jest loads no ES modules of Node. */
import { writeFileSync } from 'node:fs'
import { bundleContract, SPECS } from '../browser/contract/bundle.mjs'
import { leftOutOn } from '../browser/contract/left-out.mjs'

writeFileSync(process.argv[2], await bundleContract(SPECS, 'timeout-wheel', leftOutOn('workerd')))
