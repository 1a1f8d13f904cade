/** The warnings of a page are lines on its console: taken apart here into what a process would emit. */
const process = {
  // What the matchers look at when they load.
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
