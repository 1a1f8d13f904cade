/** The links of a Markdown document. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const withoutCode = (text: string): string =>
  text.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, '')

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replace(/ /g, '-')

function anchorsOf(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replace(/^( *)```[\s\S]*?^\1```$/gm, '')
  const anchors = new Set<string>()
  for (const [, heading] of text.matchAll(/^#{1,6} (.*)$/gm)) anchors.add(anchorOf(heading!))
  for (const [, id] of text.matchAll(/<a id="([^"]+)">/g)) anchors.add(id!)
  return anchors
}

function linksOf(path: string): string[] {
  const text = withoutCode(readFileSync(path, 'utf8'))
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)]
  return links.map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link))
}

/** Returns the relative links of a document, and its pictures, that lead to no file or heading within `folder`. */
export function brokenLinksOf(document: string, folder: string): string[] {
  return linksOf(join(folder, document)).filter((link) => {
    const [path, anchor] = link.split('#')
    const target = path === '' ? document : join(dirname(document), path!)
    if (target.startsWith('..') || !existsSync(join(folder, target))) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(join(folder, target)).has(anchor)
  })
}
