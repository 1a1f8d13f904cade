/** The class of the entries of maps, loaded for the first map. The build for Node puts it instead of map/expiring-entries.ts. */
import type * as map from '../../map/expiring-entries.js'
import { onDemand } from './load.js'

export function ExpiringEntries(...args: ConstructorParameters<typeof map.ExpiringEntries>): object {
  return new (onDemand().ExpiringEntries)(...args)
}
