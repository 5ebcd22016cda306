import { expect, test } from 'vitest'
import { compares, type Operator, passes } from './recount-values.ts'

test.each<[Operator, string, string, boolean]>([
  ['is', '/a', '/a', true],
  ['is', '/a', '/A', false],
  ['is_not', '/a', '/A', true],
  ['contains', '/a%b', '%', true],
  ['contains', '/ab', '%', false],
  ['contains', 'a_b', 'a_b', true],
  ['contains', 'aXb', 'a_b', false],
  ['does_not_contain', 'aXb', 'a_b', true],
  ['does_not_contain', 'a\\b', '\\', false],
  ['starts_with', '/docs/x', '/docs', true],
  ['starts_with', 'x/docs', '/docs', false],
  ['ends_with', '/docs/x', '/x', true],
  ['ends_with', 'x', 'xx', false],
  ['matches_pattern', '/docs/x', '/docs/*', true],
  ['matches_pattern', '/docs/x/y', '/docs/*', false],
  ['matches_pattern', '/docs/x/y', '/docs/**', true],
  ['matches_pattern', '/docs/', '/docs/*', true],
  ['matches_pattern', '/docs/x/y', '/*/y', false],
  ['matches_pattern', '/docs/x/y', '/**/y', true],
  ['matches_pattern', '/docs.x', '/docs?x', false],
  ['matches_pattern', 'aab', '*ab', true],
  ['matches_pattern', '/docs', 'docs', false],
  ['matches_regex', '/docs/x', 'cs/', true],
  ['matches_regex', '/docs/x', '^cs/', false],
  ['matches_regex', 'a\\b', 'a\\\\b$', true],
])('%s: %j against %j is %s', (operator, value, wanted, expected) => {
  expect(compares(operator, value, wanted)).toBe(expected)
})

test.each<[Operator, string, string[], boolean]>([
  ['is', 'b', ['a', 'b'], true],
  ['is', '', ['a', '(none)'], true],
  ['is', 'b', ['a', '(none)'], false],
  ['is_not', 'b', ['a', 'b'], false],
  ['is_not', 'c', ['a', 'b'], true],
  ['is_not', '', ['a'], true],
  ['is_not', '', ['a', '(none)'], false],
  ['does_not_contain', 'xb', ['a', 'b'], false],
  ['does_not_contain', 'xc', ['a', 'b'], true],
  ['contains', 'xb', ['a', 'b'], true],
  ['contains', 'a (none)', ['(none)'], true],
  ['contains', '', ['(none)'], false],
])('a filter, %s: %j against %j is %s', (operator, value, wanted, expected) => {
  expect(passes(operator, value, wanted)).toBe(expected)
})
