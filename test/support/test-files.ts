import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NEEDS, type Need, type NeedName } from './needs.ts'

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

export interface TestFile {
  /** Relative to the root. */
  path: string
  project: Project
  /** Left out of the quick check. */
  isFull: boolean
  /** It has cases that only a TimescaleDB server can run. */
  hasNativeCases: boolean
  needs: NeedName[]
}

let found: TestFile[] | undefined

/** Returns all test files. What the file itself says about them stands in its head comment: `@module-tag full` and `@needs pgbouncer`. */
export function testFiles(): TestFile[] {
  found ??= readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map(file => `test/${file}`)
    .filter(file => file.endsWith('.test.ts'))
    .sort()
    .map(path => {
      const text = readFileSync(join(root, path), 'utf8')
      const [, names] = /^\/\/ @needs (.+)$/m.exec(text) ?? []
      return {
        path,
        project: projectOf(path),
        isFull: /^\/\/ @module-tag full\b/m.test(text),
        hasNativeCases: text.includes("tags: ['native']"),
        needs: (names?.split(' ') ?? []) as NeedName[],
      }
    })
  return found
}

/** Returns what a file needs and the machine lacks. */
export const missingNeeds = ({ needs }: TestFile): Need[] =>
  needs.map(name => NEEDS[name]).filter(({ path }) => path === undefined)

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
