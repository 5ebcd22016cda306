// Compiles src, workers and scripts into dist/ when a source is newer than the last build, and bundles the tracker.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'dist', '.built')
// Not part of the service: `npm pack -w src/client` builds it.
const client = join(root, 'src', 'client')

function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const paths = readdirSync(path).map(name => join(path, name))
  return Math.max(stat.mtimeMs, ...paths.filter(each => each !== client).map(newest))
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
  await import('./build-tracker.js')
  writeFileSync(stamp, '')
}
