import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { ADVISORY_LOCKS } from '../../../src/platform/db/advisory-locks.ts'

test('advisory locks: each has a number of its own', () => {
  const numbers = Object.values(ADVISORY_LOCKS)
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('advisory locks: no source and no statement outside the table has the number of a lock', () => {
  const numbers = Object.values(ADVISORY_LOCKS).map(number => new RegExp([...String(number)].join('_?')))
  const found = ['src', 'workers', 'scripts', 'sql']
    .flatMap(folder =>
      readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && entry.name !== 'advisory-locks.ts')
        .map(entry => join(entry.parentPath, entry.name)),
    )
    .filter(file => numbers.some(number => number.test(readFileSync(file, 'utf8'))))
  expect(found).toEqual([])
})
