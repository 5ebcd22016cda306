// Bundles the tracker into dist/tracker/script.js, and the script that measures web vitals into dist/tracker/vitals.js.
import { copyFileSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'web-vitals', 'package.json'), 'utf8'))

const bundle = (name, options = {}) =>
  buildSync({
    entryPoints: [join(root, 'src', 'tracker', `${name}.ts`)],
    outfile: join(root, 'dist', 'tracker', `${name}.js`),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2017',
    tsconfigRaw: {},
    logLevel: 'warning',
    ...options,
  })

bundle('script')
bundle('vitals', {
  banner: {
    js: `/*! Contains web-vitals ${version}, Copyright Google LLC, Apache-2.0: https://www.apache.org/licenses/LICENSE-2.0 */`,
  },
})
// The licence is passed on with the copy.
copyFileSync(
  join(root, 'node_modules', 'web-vitals', 'LICENSE'),
  join(root, 'dist', 'tracker', 'vitals.LICENSE.txt'),
)
