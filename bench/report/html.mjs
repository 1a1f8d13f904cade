const entities = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
})

/** @param {string | number} text */
export const escapeHtml = (text) => String(text).replace(/[&<>"]/g, (character) => entities[character])

/**
 * Text with code between backticks.
 *
 * @param {string} text
 */
export const markUp = (text) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/**
 * @param {string[]} header  The first cell is above the labels of the rows.
 * @param {string[][]} lines  Cells of HTML.
 * @returns {string} a table that scrolls if it is too wide
 */
export function table(header, lines) {
  const head = header.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('')
  const body = lines.map(([first, ...others]) => {
    // The style shows the labels if the page is too narrow for columns.
    const cells = others
      .map((cell, i) => `<td data-label="${escapeHtml(header[i + 1])}">${cell}</td>`)
      .join('')
    return `<tr><th scope="row">${first}</th>${cells}</tr>`
  })
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`
}
