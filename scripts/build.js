// Compiles src, workers and scripts into dist/ when a source is newer than the last build, and bundles the tracker.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'dist', '.built')

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

const sources = ['src', 'workers', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
if (Math.max(...sources.map(path => newest(join(root, path)))) > lastBuild()) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const built = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  })
  if (built.status !== 0) process.exit(built.status ?? 1)
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
  writeFileSync(stamp, '')
}
