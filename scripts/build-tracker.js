// Bundles the tracker into dist/tracker/script.js.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

buildSync({
  entryPoints: [join(root, 'src', 'tracker', 'script.ts')],
  outfile: join(root, 'dist', 'tracker', 'script.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2017',
  tsconfigRaw: {},
  logLevel: 'warning',
})
