/** The parts that are loaded at the first use. The build for Node puts load-file.ts instead of this file. */
import * as features from './features.js'

export const onDemand = (): typeof features => features
