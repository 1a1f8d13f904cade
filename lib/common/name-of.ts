/** Returns the name of a callback. The program can have replaced the property `name` by anything. */
export function nameOf(callback: unknown): string {
  try {
    const { name } = callback as { name: unknown }
    if (typeof name === 'string' && name !== '') return name
  } catch {
    // A getter has thrown.
  }
  return '(anonymous)'
}
