import { expect, test } from 'vitest'
import { patternsOf } from '../../src/tracker/patterns.ts'

test.each([
  ['/admin', '/admin', true],
  ['/admin', '/admin?x=1', true],
  ['/admin', '/administration', false],
  ['/admin/*', '/admin/a', true],
  ['/admin/*', '/admin/a/b', false],
  ['/admin/*', '/admin/a?next=/b', true],
  ['/admin/**', '/admin/a/b', true],
  ['/a, /b', '/b', true],
  ['/a,/b', '/ab', false],
  ['/a.b+(c)', '/a.b+(c)', true],
  ['/a.b', '/axb', false],
  ['/日本/*', '/日本/a', true],
  ['', '/', false],
  [undefined, '/', false],
])('tracker patterns: %s matches %s: %s', (patterns, path, expected) => {
  expect(patternsOf(patterns).test(path)).toBe(expected)
})
