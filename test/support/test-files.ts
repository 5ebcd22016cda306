import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changedFiles, reachedTests } from './changed-tests.ts'
import { NEEDS, type Need, type NeedName } from './needs.ts'
import { IS_QUICK } from './runs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface TestFile {
  /** Relative to the root. */
  path: string
  /** Left out of the quick check. */
  isFull: boolean
  /** It has cases that only a TimescaleDB server can run. */
  hasNativeCases: boolean
  needs: NeedName[]
}

/** Returns all test files. What the file itself says about them stands in its head comment: `@module-tag full` and `@needs pgbouncer`. */
export function testFiles(): TestFile[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map(file => `test/${file}`)
    .filter(file => file.endsWith('.test.ts'))
    .sort()
    .map(path => {
      const text = readFileSync(join(root, path), 'utf8')
      const [, names] = /^\/\/ @needs (.+)$/m.exec(text) ?? []
      return {
        path,
        isFull: /^\/\/ @module-tag full\b/m.test(text),
        hasNativeCases: /tags: \[[^\]]*'native'/.test(text),
        needs: (names?.split(' ') ?? []) as NeedName[],
      }
    })
}

/** Returns what a file needs and the machine lacks. */
export const missingNeeds = ({ needs }: TestFile): Need[] =>
  needs.map(name => NEEDS[name]).filter(({ path }) => path === undefined)

/**
 * Returns the test files that this run is about, relative to the root: `TEST_SET=quick` leaves out those of the full check, and
 * `TEST_CHANGED` is a commit, whose difference to the working tree must be able to reach a file; of these, `TEST_NEAREST` is the number
 * of files that are wanted. A changed test file always runs.
 */
export function selectedFiles(): string[] {
  const { TEST_CHANGED, TEST_NEAREST } = process.env
  const changed = TEST_CHANGED === undefined ? [] : changedFiles(TEST_CHANGED)
  const files = testFiles()
    .filter(file => missingNeeds(file).length === 0)
    .filter(({ path, isFull }) => !isFull || !IS_QUICK || changed.includes(path))
    .map(({ path }) => path)
  if (TEST_CHANGED === undefined) return files
  const nearest = TEST_NEAREST === undefined ? files.length : Number(TEST_NEAREST)
  return reachedTests(changed)
    .filter(path => files.includes(path))
    .slice(0, nearest)
}
