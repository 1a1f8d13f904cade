/** All that an iteration gives, such as `timers.failed()`. */
export async function all<T>(iteration: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const one of iteration) list.push(one)
  return list
}
