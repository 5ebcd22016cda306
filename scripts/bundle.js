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
