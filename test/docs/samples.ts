/** Code samples of a Markdown document. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(__dirname, '../..')

export interface Sample {
  /** Path of the document from the root of the repository. */
  readonly document: string
  /** Line of the document on which the code begins. */
  readonly line: number
  readonly language: string
  readonly code: string
  /**
   * How it runs, from a comment before the sample. `<!-- sample: browser -->` loads the entry for browsers. Another word is the
   * name of a module of this folder, which Node loads before the sample, and which plays the other side: a client or a broker.
   */
  readonly kind: string
  /** Why it is not run, from a comment before the sample: `<!-- not run: reason -->`. */
  readonly notRun: string | undefined
}

/** README and all documents of docs. */
export const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export const readDocument = (document: string): string => readFileSync(join(root, document), 'utf8')

/** A fence with its code, and the comment before it. */
const SAMPLE =
  /(?:^<!-- (?<kind>sample|not run): (?<words>.+) -->\n\s*)?^(?<indent> *)(?<marks>`{3,})(?<language>\w*)\n(?<code>[\s\S]*?)^\k<indent>\k<marks>$/dgm

export function samplesOf(document: string): Sample[] {
  const text = readDocument(document)
  return Array.from(text.matchAll(SAMPLE), ({ groups, indices }) => {
    const { kind, words, indent, language, code } = groups as Record<string, string>
    return {
      document,
      line: text.slice(0, indices!.groups!.code![0]).split('\n').length,
      language: language!,
      code: code!.replaceAll(RegExp(`^${indent}`, 'gm'), '').replace(/\n$/, ''),
      kind: kind === 'sample' ? words! : 'plain',
      notRun: kind === 'not run' ? words : undefined,
    }
  })
}
