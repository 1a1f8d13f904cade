/** Checks of the options of a TimeoutMap. */
import { checkBoolean, checkLargest, checkOptionNames, checkTtl } from '../common/checks.js'
import { invalidType } from '../common/errors.js'
import { FOREVER } from '../common/forever.js'

const MAP_OPTIONS = ['ttl', 'max', 'refreshOnGet', 'onExpire', 'unref', 'wheel']

/** Returns the options of a TimeoutMap, with the defaults filled in. */
export function checkMapOptions(options: unknown = {}) {
  checkOptionNames(options, MAP_OPTIONS)
  const { ttl = FOREVER, max = FOREVER, refreshOnGet = false, onExpire, unref = true, wheel } = options
  checkTtl(ttl)
  checkLargest('max', 'entries', max)
  checkBoolean('refreshOnGet', refreshOnGet)
  if (onExpire !== undefined && typeof onExpire !== 'function') {
    throw invalidType('onExpire', 'a function', onExpire)
  }
  checkBoolean('unref', unref)
  return { ttl, max, refreshOnGet, onExpire, unref, wheel }
}
