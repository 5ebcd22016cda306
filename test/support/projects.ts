import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Modules that start a database, a Redis or a process of the service. */
const SERVERS = [
  'src/embedded/database.ts',
  'src/embedded/redis.ts',
  'src/embedded/session.ts',
  'test/embedded/spawn.ts',
  'test/support/data-dir.ts',
  'test/support/database.ts',
  'test/support/postgres-pair.ts',
  'test/support/redis.ts',
  'test/support/redis-servers.ts',
  'test/support/service.ts',
]

/** The Vitest project of each test file, in the order in which they run. It follows from the folder and from what the file imports. */
export const PROJECTS = ['servers', 'browser', 'unit'] as const
export type Project = (typeof PROJECTS)[number]

const BROWSER = /^test\/(tracker|web)\//

/** Returns the test files of a project, relative to the root. */
export function filesOf(project: Project): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map(file => `test/${file}`)
    .filter(file => file.endsWith('.test.ts') && projectOf(file) === project)
    .sort()
}

function projectOf(file: string): Project {
  if (!needsServers(join(root, file))) return 'unit'
  return BROWSER.test(file) ? 'browser' : 'servers'
}

const known = new Map<string, boolean>()

/** Follows the imports of test files, and of `src` only their own: a module of `src` starts no server when it is imported. */
function needsServers(path: string): boolean {
  const answer = known.get(path)
  if (answer !== undefined) return answer
  known.set(path, false)
  const imported = [...readFileSync(path, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
    .map(([, target]) => resolve(dirname(path), target!))
    .filter(existsSync)
  const needs = imported.some(target => {
    const name = relative(root, target)
    return SERVERS.includes(name) || (name.startsWith('test/') && needsServers(target))
  })
  known.set(path, needs)
  return needs
}
