/** The installed package in the edge host of Next.js, bundled as Next.js does it. */
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Project, tool } from '../packed/installed.js'
import { files, install, run } from './runtimes.js'

let project: Project
beforeAll(async () => {
  project = await install()
})
afterAll(() => project.remove())

it('answers 50 concurrent requests on an edge route of Next.js, whose MessageChannel throws', async () => {
  const options = ['--bundle', '--conditions=edge-light,worker,browser', '--outfile=edge-route.js']
  const bundled = await run(
    { program: tool('esbuild'), args: [] },
    project,
    'programs/edge-route.mjs',
    ...options,
  )
  expect(bundled).toMatchObject({ code: 0 })
  const node = { program: process.execPath, args: ['programs/edge.cjs', dirname(files.edge!)] }
  expect(await run(node, project, join(project.folder, 'edge-route.js'))).toEqual({
    code: 0,
    lines: ['answered 50'],
    stderr: '',
  })
})
