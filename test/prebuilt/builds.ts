/** The build that the prebuilt addons are. */
import * as native from 'timeout-wheel/native'

export const builds = [native]
