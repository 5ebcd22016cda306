// Bundles the programs of the service and the tracker into dist/ when a source is newer than the last build.
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions, servicePrograms } from './bundle.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'dist', '.built')

/** Files that Node.js is started with, as a process or a thread. Each keeps its place below dist/. */
const programs = [
  ...servicePrograms,
  ...['embedded-database', 'embedded-redis'].map(name => `workers/${name}.ts`),
  ...['admin', 'demo', 'embedded-addresses', 'welcome', 'screenshots'].map(name => `scripts/${name}.ts`),
  ...['disk', 'ingest', 'floor', 'light', 'mixed', 'reads', 'rollups', 'seed', 'sites', 'today', 'web'].map(
    name => `scripts/bench/${name}.ts`,
  ),
]

function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))))
}

function lastBuild() {
  try {
    return statSync(stamp).mtimeMs
  } catch {
    return 0
  }
}

const sources = ['src', 'workers', 'scripts', 'package.json']
// Nothing is removed: a running service still loads its own files.
if (Math.max(...sources.map(path => newest(join(root, path)))) > lastBuild()) {
  await build({
    ...bundleOptions,
    entryPoints: programs.map(program => join(root, program)),
    outbase: root,
    outdir: join(root, 'dist'),
    chunkNames: 'shared/[name]-[hash]',
  })
  await import('./build-tracker.js')
  await import('./build-web.js')
  writeFileSync(stamp, '')
}
