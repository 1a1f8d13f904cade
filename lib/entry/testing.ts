/** `timeout-wheel/testing`: wheels follow the fake timers of Jest, Vitest, sinon and `node:test`. Loading it is all. */
import { openedBeforeTesting } from '../common/errors.js'
import { followTestTools } from '../node/drivers/following.js'
import { lastingSingleton } from '../node/host/singletons.js'
import type { Testing } from './choose-backend.js'
import './node.js'

const testing = lastingSingleton<Testing>('testing', () => ({ isLate: false }))
if (testing.follow === undefined && testing.isLate) throw openedBeforeTesting()
testing.follow = followTestTools
