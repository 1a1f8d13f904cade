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

const COMMENT = /^<!-- (sample|not run): (.+) -->$/

export function samplesOf(document: string): Sample[] {
  const samples: Sample[] = []
  const lines = readDocument(document).split('\n')
  let comment: RegExpExecArray | null = null
  for (let i = 0; i < lines.length; i++) {
    const fence = /^( *)(`{3,})(\w*)$/.exec(lines[i]!)
    if (fence === null) {
      if (lines[i] !== '') comment = COMMENT.exec(lines[i]!)
      continue
    }
    const [, indent, marks, language] = fence
    const end = lines.indexOf(`${indent}${marks}`, i + 1)
    samples.push({
      document,
      line: i + 2,
      language: language!,
      code: lines
        .slice(i + 1, end)
        .map((line) => line.slice(indent!.length))
        .join('\n'),
      kind: comment?.[1] === 'sample' ? comment[2]! : 'plain',
      notRun: comment?.[1] === 'not run' ? comment[2] : undefined,
    })
    comment = null
    i = end
  }
  return samples
}
