/** Serves pages to the browsers: files of the built package, and texts of a test. */
import { once } from 'node:events'
import { extname } from 'node:path'
import express from 'express'

/** Headers with which a page gets the finest clock. */
export const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

/** Starts a server on loopback. If a path is given to it twice, the first one counts. @param {Record<string, string>} [common] headers of every answer */
export async function serve(common = {}) {
  const app = express()
  app.use((_request, response, next) => {
    response.set({ 'cache-control': 'no-store', ...common })
    next()
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  /** Serves a text. Returns its URL. @param {Record<string, string>} [headers] */
  const put = (path, body, headers) => {
    const all = { 'content-type': extname(path) || 'html', ...headers }
    app.get(path, (_request, response) => response.set(all).send(body))
    return url + path
  }
  const head = '<!doctype html><html lang="en"><meta charset="utf-8">'
  return {
    url,
    put,
    /** Serves a page of HTML. Returns its URL. @param {Record<string, string>} [headers] */
    page: (path, title, body, headers) => put(path, `${head}<title>${title}</title><body>${body}`, headers),
    /** Serves the files of a folder. Returns its URL. */
    mount(path, folder) {
      app.use(path, express.static(folder))
      return url + path
    },
    /** Calls a function with the JSON that is posted to a path. */
    receive(path, receive) {
      app.post(path, express.json({ type: '*/*', limit: Infinity }), (request, response) => {
        response.status(204).end()
        receive(request.body)
      })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
