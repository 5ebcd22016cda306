import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compileMatch,
  InvalidPatternError,
  VALUE_OPERATORS,
  type ValueOperator,
  wholeValuesOf,
} from '../../../src/storage/patterns/value-match.ts'
import { runs } from '../../support/runs.ts'
import { cpuOf } from '../../support/within.ts'

test.each<[ValueOperator, string, string[], string[]]>([
  ['is', '/a', ['/a'], ['/A', '/a/', ' /a', '']],
  ['is', '', [''], ['x']],
  ['is_not', '/a', ['/A', ''], ['/a']],
  ['contains', 'b', ['b', 'abc'], ['B', '', 'ac']],
  ['contains', '.', ['a.c'], ['abc']],
  ['does_not_contain', 'b', ['B', '', 'ac'], ['b', 'abc']],
  ['starts_with', '/a', ['/a', '/abc'], ['/A', 'x/a', '']],
  ['ends_with', 'c', ['c', 'abc'], ['C', 'cb', '']],
  [
    'matches_pattern',
    '/blog/*',
    ['/blog/', '/blog/x', '/blog/x/', '/blog'],
    ['/blog/x/y', '/blog/x//', '/Blog/x', 'x/blog/x'],
  ],
  ['matches_pattern', '/blog/**', ['/blog/', '/blog/x', '/blog/x/y', '/blog'], ['/news/blog/x', '/blo']],
  ['matches_pattern', '/x', ['/x', '/x/'], ['/x//', 'x', '/x/y']],
  ['matches_pattern', '/x/', ['/x', '/x/'], ['/x//', '/']],
  ['matches_pattern', '/x/*/', ['/x/1', '/x/1/'], ['/x', '/x/', '/x/1/2']],
  ['matches_pattern', '/*/end', ['/a/end', '/a/end/'], ['/a/end//', '/a/en']],
  ['matches_pattern', '/', ['/'], ['', '//']],
  ['matches_pattern', '/*', ['/', '/a', '/a/'], ['', '/a/b']],
  ['matches_pattern', '*', ['', 'a', 'a/'], ['/', '/a']],
  ['matches_pattern', '/**/end', ['/a/end', '/a/b/end', '//end'], ['/end']],
  ['matches_pattern', 'a.c*', ['a.cd'], ['abcd']],
  ['matches_pattern', '[a-z]*', ['[a-z]b'], ['ab']],
  ['matches_pattern', '\\Q*\\E(?:', ['\\Qx\\E(?:'], ['x']],
  ['matches_pattern', 'a**z', ['a\n/\nz', 'a\u2028z'], ['az\n']],
  ['matches_regex', 'b', ['b', 'abc'], ['B', '', 'ac']],
  ['matches_regex', '^/blog/\\d+$', ['/blog/12'], ['/blog/', '/blog/12/', 'x/blog/1']],
  ['matches_regex', '(?i)^/BLOG', ['/blog', '/BlOg/x'], ['x/blog']],
  ['matches_regex', '', ['', 'x'], []],
  ['matches_regex', '^.$', ['🍕'], ['\n', 'ab']],
  ['matches_regex', '\\pL{3}', ['äöü'], ['ab', '123']],
  ['matches_regex', 'a|', ['', 'x'], []],
])('%s %j', (operator, value, matching, others) => {
  const isMatch = compileMatch(operator, value)
  expect(matching.filter(text => !isMatch(text))).toEqual([])
  expect(others.filter(isMatch)).toEqual([])
})

test.each([
  ...['(', ')', '[a', 'a{2,1}', '*a', 'a**', '(?=a)', '(?<!a)b', '(a)\\1', '(?>a)', 'a{1001}'],
  ...['(a{1000}){1000}', '((((a{10}){10}){10}){10})', '\\', '\\pX', '(?<n>a)(?<n>b)'],
  '('.repeat(2048),
  `${'('.repeat(1001)}${')'.repeat(1001)}`,
  'a{900}b{900}c{900}d{900}e{900}f{900}g{900}h{900}i{900}j{900}k{900}l{900}',
  '\\pL{1000}'.repeat(227),
  `(${'a'.repeat(1_300)}){1000}`,
  `(${'(a{10}b){10}'.repeat(100)}){10}`,
  `${'(a{30}){30}'.repeat(100)}`,
  // Each of these takes 27 ms to compile: together they would block the process for seconds.
  `(?i)${'[a-\\x{10ffff}]'.repeat(130)}`,
  `(?i)[${'a-\u{10ffff}'.repeat(600)}]`,
  `(?s-U:(?i:${'[a-\u{10ffff}]'.repeat(20)}))`,
  '\\pL'.repeat(600),
  '[[:^alpha:]\\PN]'.repeat(120),
])('refuses is rejected at once: %#', async value => {
  const refuse = () => expect(() => compileMatch('matches_regex', value)).toThrow(InvalidPatternError)
  expect(await cpuOf(refuse)).toBeLessThan(1_000)
  for (const operator of VALUE_OPERATORS.filter(each => each !== 'matches_regex')) {
    expect(() => compileMatch(operator, value)).not.toThrow()
  }
})

test('matches_regex, an expression that RE2: accepts is compiled', () => {
  for (const value of [
    ...['', 'a', '^(a|b)+$', 'a{1000}', '(ab{0,9}){99}', '(?i)a', '\\bword\\b', 'x'.repeat(2048)],
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    `^/(${'[a-z]{2}-[0-9]{4}|'.repeat(20)}x)/?$`,
  ]) {
    expect(() => compileMatch('matches_regex', value)).not.toThrow()
  }
})

const text = `/${'a'.repeat(2_000)}`
test.each<[ValueOperator, string]>([
  ['matches_pattern', `/${'a**'.repeat(600)}b`],
  ['matches_pattern', `/${'a*'.repeat(1_000)}b`],
  ['matches_pattern', `**${'*a'.repeat(1_000)}/b`],
  ['matches_pattern', `${'*a**a'.repeat(400)}b`],
  ['matches_regex', '(a+)+$b'],
  ['matches_regex', '^/(a|aa)+b$'],
  ['matches_regex', '(.*a){20}b'],
  ['matches_regex', '(a?){500}a{500}b'],
])('is fast with RE2: %s %#', async (operator, value) => {
  const isMatch = compileMatch(operator, value)
  const cpu = await cpuOf(() => {
    for (let index = 0; index < 5; index++) expect(isMatch(text + index)).toBe(false)
  })
  expect(cpu).toBeLessThan(2_000)
})

/** Few characters, so that values and texts often match; some of them have a meaning in expressions. */
const short = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '*', '.', '🍕', '\n', '\\', '['),
  maxLength: 8,
})

/** Reference implementation: tries every way to cut the text. */
function matchesPattern(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const stars = /^\*+/.exec(pattern)?.[0] ?? ''
  if (stars === '')
    return text !== '' && text[0] === pattern[0] && matchesPattern(pattern.slice(1), text.slice(1))
  return Array.from({ length: text.length + 1 }, (_, length) => length).some(
    length =>
      (stars.length > 1 || !text.slice(0, length).includes('/')) &&
      matchesPattern(pattern.slice(stars.length), text.slice(length)),
  )
}

test('value match: patterns match by their definition', () => {
  fc.assert(
    fc.property(short, short, (pattern, text) => {
      const same = /^.*[^/]\/$/s.test(text) ? text.slice(0, -1) : /[^/]$/s.test(text) ? `${text}/` : text
      const isMatch = matchesPattern(pattern, text) || matchesPattern(pattern, same)
      expect(compileMatch('matches_pattern', pattern)(text)).toBe(isMatch)
      expect(wholeValuesOf('matches_pattern', pattern)?.includes(text) ?? isMatch).toBe(isMatch)
    }),
    { numRuns: runs(3_000) },
  )
})

test('value match: literal operators match by their definition, and negations are the opposite', () => {
  const starts = (text: string, value: string) => text.slice(0, value.length) === value
  fc.assert(
    fc.property(short, short, (value, text) => {
      const at = (operator: ValueOperator) => compileMatch(operator, value)(text)
      const cuts = Array.from({ length: text.length + 1 }, (_, index) => text.slice(index))
      expect(at('is')).toBe([...text].join() === [...value].join())
      expect(at('is_not')).toBe(!at('is'))
      expect(at('contains')).toBe(cuts.some(rest => starts(rest, value)))
      expect(at('does_not_contain')).toBe(!at('contains'))
      expect(at('starts_with')).toBe(starts(text, value))
      expect(at('ends_with')).toBe(cuts.includes(value))
    }),
  )
})
