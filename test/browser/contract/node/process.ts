/** A page prints warnings on its console. This module turns those lines into warnings that a process would emit. */
const process = {
  // The matchers read these when they load.
  env: {},
  argv: [],
  versions: {},
  platform: 'browser',
  cwd: () => '/',
  emitWarning: (_message: string, _name: string): void => {},
}
const { warn } = console
console.warn = (...values: unknown[]): void => {
  const [, name, message] = /^(\w+): (.*)$/s.exec(String(values[0])) ?? []
  if (name === undefined || message === undefined) warn(...values)
  else process.emitWarning(message, name)
}

export { process }
