/** Defines a property whose value is made by the first read. */
export function defineLazily(object: object, name: string, make: () => unknown): void {
  const get = () => {
    const value = make()
    Object.defineProperty(object, name, { value })
    return value
  }
  Object.defineProperty(object, name, { get, configurable: true })
}
