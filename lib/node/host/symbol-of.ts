/** Finds the symbol of this description that is a property of an object. Node does not publish its own symbols. */
export function symbolOf(object: object, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(object).find((symbol) => symbol.description === description)
}
