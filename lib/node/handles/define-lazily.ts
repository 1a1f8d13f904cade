/** Defines a property whose first read makes its value. */
export function defineLazily(object: object, name: string, make: () => unknown): void {
  const get = () => {
    const value = make()
    Object.defineProperty(object, name, { value })
    return value
  }
  Object.defineProperty(object, name, { get, configurable: true })
}
