import { expect, test } from 'vitest'
import { matchesPath } from '../../../src/platform/lib/path-patterns.ts'
import { patternsOf } from '../../../src/tracker/patterns.ts'

const PATTERNS = [
  ...['/a', '/a/*', '/a/**', '/*/b', '/**/b', '/a*c', '/***', '/a.b', '/a b', '/(x)+', '/**a**b*c'],
]
const PATHS = [
  ...['/', '/a', '/a/', '/a/b', '/a/b/c', '/x/b', '/x/y/b', '/ac', '/abbc', '/ab/c', '/a.b', '/aXb', '/a b'],
  ...['/(x)+', '/xx', '/zaz/bzc', '/A'],
]

test.each(PATTERNS)('path patterns: %s matches what it matches in the tracker', pattern => {
  const expected = PATHS.filter(path => patternsOf(pattern).test(path))
  expect(PATHS.filter(path => matchesPath([pattern], path))).toEqual(expected)
})

test('path patterns: a path is compared with and without percent-encoding', () => {
  expect(matchesPath(['/über/*'], '/%C3%BCber/x')).toBe(true)
  expect(matchesPath(['/%C3%BCber/*'], '/%C3%BCber/x')).toBe(true)
  expect(matchesPath(['/x'], '/%C3')).toBe(false)
  expect(matchesPath([], '/')).toBe(false)
})

test('path patterns: query and fragment are not looked at', () => {
  expect(matchesPath(['/a'], '/a?b=c')).toBe(true)
  expect(matchesPath(['/a*c'], '/a?b=c')).toBe(false)
  expect(matchesPath(['/**c'], '/a#b/c')).toBe(false)
})

test('path patterns: a pattern of wildcards takes no more steps for a path that nearly matches', () => {
  const patterns = Array.from({ length: 10 }, () => `/${'**a'.repeat(66)}`)
  expect(matchesPath(patterns, `/${'a'.repeat(2_046)}b`)).toBe(false)
})
