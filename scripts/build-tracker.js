// Bundles the tracker into dist/tracker/script.js, and the scripts that it loads: vitals.js measures web vitals, replay.js records sessions.
import { copyFileSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const versionOf = (...path) =>
  JSON.parse(readFileSync(join(root, 'node_modules', ...path, 'package.json'), 'utf8')).version

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
    js: `/*! Contains web-vitals ${versionOf('web-vitals')}, Copyright Google LLC, Apache-2.0: https://www.apache.org/licenses/LICENSE-2.0 */`,
  },
})
bundle('replay', {
  // The oldest browsers that can compress, which the script needs, know all of it.
  target: 'es2020',
  legalComments: 'none',
  banner: {
    js: `/*! Contains @rrweb/record ${versionOf('@rrweb', 'record')}, Copyright rrweb contributors, MIT: https://github.com/rrweb-io/rrweb/blob/master/LICENSE */`,
  },
})
// The licence is passed on with the copy.
copyFileSync(
  join(root, 'node_modules', 'web-vitals', 'LICENSE'),
  join(root, 'dist', 'tracker', 'vitals.LICENSE.txt'),
)
