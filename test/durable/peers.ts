/** The optional packages beside durable timers, each in the oldest and the newest version that package.json allows. */
import { join } from 'node:path'
import { ROOT, run } from '../node/child.js'

export const AGES = ['oldest', 'newest'] as const
export type Age = (typeof AGES)[number]

/** Returns the folder of a package, and installs it if necessary. */
export async function peer(name: string, age: Age): Promise<string> {
  if (age === 'newest') return join(ROOT, 'node_modules', name)
  const script = `import { oldestPeer } from './.tooling/runtimes.mjs'
    console.log(await oldestPeer('${name}'))`
  return (await run(script)).lines.at(-1)!
}
