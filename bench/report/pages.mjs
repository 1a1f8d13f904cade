/** The report: HTML pages that load nothing else. */

import { readFileSync } from 'node:fs'
import { developmentPage } from './development-page.mjs'
import { userPage } from './user-page.mjs'

/** @import { ShownResult } from './section.mjs' */

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8')

/**
 * @param {string} title
 * @param {string} body
 */
const frame = (title, body) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

/**
 * @param {ShownResult[]} results
 * @param {ShownResult[][]} onOtherNodes  The results of each further line of Node.
 * @returns {Record<string, string>}  The pages by file name.
 */
export function makePages(results, onOtherNodes) {
  const inNode = results.filter(({ part }) => !part.startsWith('browser-'))
  const inPages = results.filter(({ part }) => part.startsWith('browser-'))
  return {
    'index.html': frame('timeout-wheel: measured', userPage(inNode, inPages, onOtherNodes)),
    'development.html': frame(
      'timeout-wheel: figures to reach',
      developmentPage(inNode, inPages, onOtherNodes),
    ),
  }
}
