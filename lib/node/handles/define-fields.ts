/** Gives the properties of the prototypes of some classes to the prototype of another class. */
export function defineFields(prototype: object, classes: readonly { readonly prototype: object }[]): void {
  for (const { prototype: fields } of classes) {
    const { constructor: _own, ...descriptors } = Object.getOwnPropertyDescriptors<object>(fields)
    Object.defineProperties(prototype, descriptors)
  }
}
