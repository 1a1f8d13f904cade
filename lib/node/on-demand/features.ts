/**
 * What most programs do not use, or not at once: groups, the entries of maps, signals, `withTimeout`, virtual time, WebAssembly. Node reads all code of a file before it runs the first line of it, so these parts are a file of
 * their own in dist/, which the package loads at the first use. That file has copies of the code that both files need. So no module
 * here may have a state or a class that the rest of the package shares: it gets them as arguments.
 */
export { Entries } from '../../map/entries.js'
export { instantiateWasm } from '../../memory/instantiate-wasm.js'
export { wasmCores } from '../../memory/wasm-core.js'
export { timerGroupOn } from '../../wheel/group.js'
export { openVirtualWheel } from '../../wheel/virtual-time.js'
export { openEventLoop } from '../drivers/event-loop.js'
export { NodeMapTimer } from './map-timer.js'
export { openSignal, withTimeoutOf } from './signals.js'
