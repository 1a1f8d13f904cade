/** Serves pages to the browsers: files of the built package, and texts of a test. */
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
import { json } from 'node:stream/consumers'

const TYPES = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

/** Headers with which a page gets the finest clock. */
export const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

/**
 * @typedef {{ body: string, headers?: Record<string, string> }} Answer
 * @typedef {object} Site
 * @property {string} url
 * @property {(path: string, answer: Answer) => string} put serves a text; returns its URL
 * @property {(path: string, title: string, body: string, headers?: Record<string, string>) => string} page the same for a page of HTML
 * @property {(path: string, folder: string) => string} mount serves the files of a folder
 * @property {(path: string, receive: (json: any) => void) => string} receive receives what is posted to the path
 * @property {() => Promise<void>} close
 */

/**
 * @param {Record<string, string>} [common] headers of every answer
 * @returns {Promise<Site>}
 */
export async function serve(common = {}) {
  /** What was given by `put`, `mount` and `receive`, by path. */
  const [texts, folders, receivers] = [new Map(), new Map(), new Map()]

  /** @returns {Answer | undefined} */
  const fileOf = (path) => {
    for (const [prefix, folder] of folders) {
      const file = normalize(join(folder, path.slice(prefix.length)))
      const isInside = path.startsWith(prefix) && file.startsWith(folder + sep)
      if (isInside && existsSync(file) && statSync(file).isFile()) return { body: readFileSync(file) }
    }
  }

  const server = createServer(async (request, response) => {
    const path = decodeURI(new URL(request.url, 'http://localhost').pathname)
    const receive = request.method === 'POST' ? receivers.get(path) : undefined
    if (receive !== undefined) {
      const posted = await json(request)
      response.writeHead(204).end()
      receive(posted)
      return
    }
    const answer = texts.get(path) ?? fileOf(path)
    const type = TYPES[extname(path)] ?? 'text/html; charset=utf-8'
    const headers = { 'content-type': type, 'cache-control': 'no-store', ...common, ...answer?.headers }
    response.writeHead(answer === undefined ? 404 : 200, headers).end(answer?.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`

  const serving = (answers) => (path, answer) => {
    answers.set(path, answer)
    return url + path
  }
  const put = serving(texts)
  return {
    url,
    put,
    page: (path, title, body, headers) =>
      put(path, {
        body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}`,
        headers,
      }),
    mount: (path, folder) => serving(folders)(path, normalize(folder)),
    receive: serving(receivers),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
