/**
 * Whether the runtime is Node itself. Other runtimes offer Node's modules under Node's names, with Node's versions, and their timers
 * have the fields of Node's timers. Node also lists the internal modules that it has loaded. The others have no such modules, so
 * their list is empty or missing.
 */
const loaded: unknown = Reflect.get(process, 'moduleLoadList')

export const isNode: boolean = Array.isArray(loaded) && loaded.includes('NativeModule internal/timers')
