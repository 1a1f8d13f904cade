/** A page for each source file that the documents link to. */
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { nameOfSource, root, SOURCES } from '../.vitepress/documents.mjs'

const LANGUAGES = { '.mjs': 'js', '.html': 'html', '.yml': 'yaml' }

export default {
  paths: () =>
    SOURCES.map((path) => {
      const text = readFileSync(join(root, path), 'utf8').trimEnd()
      const content = `\`\`\`\`${LANGUAGES[extname(path)]}\n${text}\n\`\`\`\``
      return { params: { file: nameOfSource(path), path }, content }
    }),
}
