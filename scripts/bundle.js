import { join } from 'node:path'

/**
 * Options of esbuild for programs of the service. What several programs use becomes files that they share: a process then
 * loads ten to twenty files instead of several hundred and starts faster. Packages stay in `node_modules`.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // With `node --enable-source-maps`, stack traces show files and lines of the sources.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

/** Programs that the primary starts as processes and threads, and itself. */
export const servicePrograms = ['primary', 'http', 'ingest', 'rollup', 'patterns', 'columns'].map(
  name => `workers/${name}.ts`,
)

/**
 * Options of esbuild for the web interface. What it finds under other names is made by `build-web.js`.
 * @param {string} root of the project
 * @returns {import('esbuild').BuildOptions}
 */
export function webOptions(root) {
  const generated = join(root, 'dist', 'web-sources')
  return {
    bundle: true,
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    tsconfig: join(root, 'src', 'web', 'tsconfig.json'),
    alias: {
      'world-map': join(generated, 'world-map.json'),
      languages: join(generated, 'languages.js'),
    },
    logLevel: 'warning',
  }
}
