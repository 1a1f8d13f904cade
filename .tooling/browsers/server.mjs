/** Serves pages to the browsers: files of the built package, and texts of a test. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
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
  /** @type {Map<string, Answer>} */
  const texts = new Map()
  /** @type {Map<string, string>} */
  const folders = new Map()
  /** @type {Map<string, (json: any) => void>} */
  const receivers = new Map()

  const fileOf = (path) => {
    for (const [prefix, folder] of folders) {
      if (!path.startsWith(prefix)) continue
      const file = normalize(join(folder, path.slice(prefix.length)))
      if (!file.startsWith(folder + sep)) return undefined
      try {
        return readFileSync(file)
      } catch (error) {
        if (error.code !== 'ENOENT' && error.code !== 'EISDIR') throw error
      }
    }
    return undefined
  }

  const server = createServer(async (request, response) => {
    const path = decodeURI(new URL(request.url, 'http://localhost').pathname)
    const receive = receivers.get(path)
    if (request.method === 'POST' && receive !== undefined) {
      const parts = []
      for await (const part of request) parts.push(part)
      response.writeHead(204).end()
      receive(JSON.parse(Buffer.concat(parts).toString()))
      return
    }
    const text = texts.get(path)
    const body = text?.body ?? fileOf(path)
    if (body === undefined) {
      response.writeHead(404).end()
      return
    }
    const type = TYPES[extname(path)] ?? TYPES['.html']
    response.writeHead(200, {
      'content-type': type,
      'cache-control': 'no-store',
      ...common,
      ...text?.headers,
    })
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`

  const put = (path, answer) => {
    texts.set(path, answer)
    return url + path
  }
  return {
    url,
    put,
    page: (path, title, body, headers) =>
      put(path, {
        body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}`,
        headers,
      }),
    mount: (path, folder) => {
      folders.set(path, normalize(folder))
      return url + path
    },
    receive: (path, receive) => {
      receivers.set(path, receive)
      return url + path
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
