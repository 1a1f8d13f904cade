/** Builds the page into one folder that works under any address. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const fromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: fromHere('.'),
  base: './',
  build: { outDir: fromHere('../../build/demo'), emptyOutDir: true, target: 'es2022' },
})
